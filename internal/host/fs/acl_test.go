// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an access list is read as the kernel reads it.

package fs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// listOf makes an access list of entries: tag, permissions, number.
func listOf(entries ...[3]uint32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, aclVersion)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return b
}

const nobody = ^uint32(0)

func TestAccessList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	testenv.OK(t, os.WriteFile(path, nil, 0o600))
	if _, ok := AccessList(path); ok {
		t.Error("a file without a list has one")
	}
	for name, c := range map[string]struct {
		mask, group uint32
		want        Writers
	}{
		"all":               {7, 6, Writers{[]int{12345}, []int{23456}, true}},
		"the mask is lower": {4, 6, Writers{}},
		"not the group":     {6, 4, Writers{[]int{12345}, []int{23456}, false}},
	} {
		list := listOf([3]uint32{1, 6, nobody}, [3]uint32{aclUser, 6, 12345}, [3]uint32{aclUser, 4, 12346},
			[3]uint32{aclOwnGroup, c.group, nobody},
			[3]uint32{aclGroup, 7, 23456}, [3]uint32{aclMask, c.mask, nobody}, [3]uint32{32, 0, nobody})
		if err := unix.Setxattr(path, accessList, list, 0); err != nil {
			t.Skip("no access lists here: ", err)
		}
		if got, ok := AccessList(path); !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", name, got, ok, c.want)
		}
	}
}

func FuzzParseAccessList(f *testing.F) {
	f.Add(listOf([3]uint32{aclUser, 6, 1}))
	f.Add([]byte("\x02\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if w, ok := parseAccessList(b); !ok && !reflect.DeepEqual(w, Writers{}) {
			t.Errorf("%x is not understood, and says %+v", b, w)
		}
	})
}
