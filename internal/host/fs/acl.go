// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an access list says who may write a file beside its owner;
// what the mode calls the group is then only the bound of all of them.

package fs

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Writers are those that an access list lets write a file or directory.
type Writers struct {
	Users, Groups []int
	// Group says whether the group that the file belongs to may.
	Group bool
}

// The form of a POSIX access list as Linux keeps it (acl(5),
// linux/posix_acl_xattr.h): a version, then entries of a tag, permissions and
// the number of a user or group.
const (
	accessList        = "system.posix_acl_access"
	aclVersion        = 2
	aclUser, aclGroup = 0x02, 0x08
	aclOwnGroup       = 0x04
	aclMask           = 0x10
	aclWrite          = 2
)

// AccessList reads who may write the file at path by its access list; ok is
// false where it has none, or none that is understood.
func AccessList(path string) (w Writers, ok bool) {
	list := make([]byte, 64<<10) // no attribute is larger
	n, err := unix.Lgetxattr(path, accessList, list)
	if err != nil {
		return w, false
	}
	return parseAccessList(list[:n])
}

func parseAccessList(list []byte) (w Writers, ok bool) {
	if len(list) < 4 || len(list)%8 != 4 || binary.LittleEndian.Uint32(list) != aclVersion {
		return w, false
	}
	mask := uint16(aclWrite)
	each := func(entry func(tag, perm uint16, id int)) {
		for e := list[4:]; len(e) >= 8; e = e[8:] {
			entry(binary.LittleEndian.Uint16(e), binary.LittleEndian.Uint16(e[2:]), int(binary.LittleEndian.Uint32(e[4:])))
		}
	}
	each(func(tag, perm uint16, _ int) {
		if tag == aclMask {
			mask = perm
		}
	})
	each(func(tag, perm uint16, id int) {
		switch writes := perm&mask&aclWrite != 0; {
		case !writes:
		case tag == aclUser:
			w.Users = append(w.Users, id)
		case tag == aclGroup:
			w.Groups = append(w.Groups, id)
		case tag == aclOwnGroup:
			w.Group = true
		}
	})
	return w, true
}
