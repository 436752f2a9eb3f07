// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package web asks a server for one small document.
//
// Contract: GET alone, without a credential, a cookie or a body; bounded in
// time, in size and in redirects, which lead to no other scheme than http and
// https and never from https to http. What comes back is data.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// The bounds of an answer.
const (
	Timeout = 10 * time.Second
	maxSize = 4 << 20 // bytes; 30 releases of a talkative project are 0.4 MB
)

const maxRedirects = 4

// Status is the error of an answer that is not the document: what the server
// answered instead (RFC 9110, section 15).
type Status int

func (s Status) Error() string { return fmt.Sprintf("the server answered %d", int(s)) }

// Reasons why there is no answer.
var (
	ErrSlow      = errors.New("no answer in time")
	errHuge      = fmt.Errorf("the answer is larger than %d MB", maxSize>>20)
	ErrOffline   = errors.New("the server is not reachable")
	ErrRateLimit = errors.New("the server's rate limit is reached")
)

// Get returns what address answers. The environment says which proxy to use.
// accept is the media type that is asked for. timeout is Timeout if it is 0.
func Get(ctx context.Context, e env.Env, address, accept string, timeout time.Duration) ([]byte, error) {
	if timeout == 0 {
		timeout = Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || req.URL.Scheme != "https" && req.URL.Scheme != "http" || req.URL.User != nil {
		return nil, errors.New("not an address that is asked")
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "steward-setup")
	res, err := client(e).Do(req)
	if err != nil {
		return nil, reason(err)
	}
	defer res.Body.Close()
	limited := res.StatusCode == http.StatusTooManyRequests ||
		res.StatusCode == http.StatusForbidden && res.Header.Get("X-Ratelimit-Remaining") == "0"
	switch {
	case limited:
		return nil, ErrRateLimit
	case res.StatusCode != http.StatusOK:
		return nil, Status(res.StatusCode)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxSize+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case len(b) > maxSize:
		return nil, errHuge
	}
	return b, nil
}

func client(e env.Env) *http.Client {
	return &http.Client{
		Transport: &http.Transport{Proxy: proxy(e), DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2: true},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			last := via[len(via)-1].URL
			if len(via) > maxRedirects || req.URL.Scheme != "https" && req.URL.Scheme != last.Scheme ||
				req.URL.Scheme != "http" && req.URL.Scheme != "https" {
				return errors.New("a redirect that is not followed")
			}
			return nil
		},
	}
}

// proxy is the one that https_proxy or http_proxy names, unless no_proxy names
// the host; HTTPS_PROXY and NO_PROXY are read too. A machine's own names and
// addresses are asked without it.
func proxy(e env.Env) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		host := strings.ToLower(req.URL.Hostname())
		if host == "localhost" || net.ParseIP(host).IsLoopback() ||
			without(host, req.URL.Port(), cmp.Or(e.Get("no_proxy"), e.Get("NO_PROXY"))) {
			return nil, nil
		}
		names := []string{"https_proxy", "HTTPS_PROXY"}
		if req.URL.Scheme == "http" {
			names = []string{"http_proxy"} // not HTTP_PROXY: a CGI server sets it from a header (httpoxy)
		}
		for _, name := range names {
			v := e.Get(name)
			if v == "" {
				continue
			}
			if !strings.Contains(v, "://") {
				v = "http://" + v
			}
			u, err := url.Parse(v)
			if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
				return nil, errors.New(name + " is not the address of a proxy") // without the value: it may hold a password
			}
			return u, nil
		}
		return nil, nil
	}
}

// without says whether no_proxy names a host: "*", an address, a range of
// addresses, or a domain with all below it, each perhaps with a port, as net/http
// and curl read it.
func without(host, port, list string) bool {
	ip, ipErr := netip.ParseAddr(host)
	for _, entry := range strings.Split(strings.ToLower(list), ",") {
		entry = strings.TrimSpace(entry)
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			if ipErr == nil && prefix.Contains(ip.Unmap()) {
				return true
			}
			continue
		}
		if h, p, err := net.SplitHostPort(entry); err == nil {
			if p != port {
				continue
			}
			entry = h
		}
		entry = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(entry, "[]"), "*."), ".")
		if entry != "" && (entry == "*" || host == entry || ipErr != nil && strings.HasSuffix(host, "."+entry)) {
			return true
		}
	}
	return false
}

// reason is an error in the words of this package, without the address.
func reason(err error) error {
	var timeout interface{ Timeout() bool }
	var ue *url.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return ErrSlow
	case errors.As(err, new(*net.OpError)), errors.As(err, new(*net.DNSError)):
		return ErrOffline
	case errors.As(err, &ue):
		return ue.Err
	}
	return err
}
