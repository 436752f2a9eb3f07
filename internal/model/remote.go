// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a host of git repositories speaks HTTPS and SSH on one
// port, since nobody on a stage may listen on theirs; what answers belongs to
// whoever starts it.

package model

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"time"
)

// Remote is what a host of repositories answers with.
type Remote struct {
	// Certificate is that of its HTTPS server, HTTP its answers.
	Certificate tls.Certificate
	HTTP        func(Request) (status, head, body string)
	// SSH serves one connection, nil where nothing does.
	SSH func(io.ReadWriter)
	// Heard is told which protocol a connection begins with.
	Heard func(protocol string)
}

// ListenRemote serves on the address until Close.
func ListenRemote(address string, r Remote) (*Listener, error) {
	return serveOn("tcp", address, &Listener{reply: r.HTTP, other: func(spoken string, c net.Conn) {
		r.Heard(spoken)
		switch {
		case spoken == SpokeSSH && r.SSH != nil:
			r.SSH(c)
		case spoken == SpokeTLS:
			served := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{r.Certificate},
				MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
			defer served.Close()
			request, err := readRequest(bufio.NewReader(io.LimitReader(served, maxRequest)))
			if err == nil {
				respond(served, request, r.HTTP)
			}
		}
	}})
}

// begun is a connection of which the first bytes are read already.
type begun struct {
	net.Conn
	in io.Reader
}

func (b begun) Read(p []byte) (int, error) { return b.in.Read(p) }

// Certificate makes a certificate for hosts, which is its own authority: a new
// one with every call, whose key is not kept. authority is what a client must
// trust, a PEM file.
func Certificate(hosts ...string) (own tls.Certificate, authority []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return own, nil, err
	}
	// Its dates need no clock: it is gone with the session.
	form := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		NotBefore:   time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0)}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, key.Public(), key)
	if err != nil {
		return own, nil, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}
