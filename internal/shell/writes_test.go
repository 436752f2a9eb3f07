// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"
)

func TestWrites(t *testing.T) {
	for line, want := range map[string]string{
		"cp x ~/b/y":               "/h/b/y</h/p/sub/x",
		"cp -t ~/b x y":            "/h/b</h/p/sub/x /h/b</h/p/sub/y",
		"install -m 755 tools/* ~": "/h</h/p/sub/tools",
		"cat x >> ~/.bashrc":       "/h/.bashrc<",
		"echo a > ~/.bashrc":       "/h/.bashrc< fixed",
		"jq . | tee -a ~/l":        "/h/l<",
		"touch -r x ~/t":           "/h/t< fixed",
		"sort -o l ~/l":            "/h/p/sub/l<",
		"jq . > logs/$(date).log":  "/h/p/sub/logs/*<",
		"jq . > \"$(mktemp)\"":     "",
		"rsync -a x host:y":        "",
		"rsync -t ~/x ~/y":         "/h/y</h/x",
		"shuf -o l2 ~/l":           "/h/p/sub/l2<",
		"shuf -ol2 ~/l":            "/h/p/sub/l2<",
		"sort -k 2 -ol2 ~/l":       "/h/p/sub/l2<",
		"sort --output=l2":         "/h/p/sub/l2<",
		"jq . >& l":                "/h/p/sub/l<",
		"jq . >&2":                 "",
		"ls > /dev/null 2>&1":      "/dev/null<",
		"tar czf ~/a.tgz x":        "/h/a.tgz<",
		"tar -cz -f a.tar x":       "/h/p/sub/a.tar<",
		"tar -cfa.tar x":           "/h/p/sub/a.tar<",
		"tar xzf ~/a.tgz":          "",
		"tar cz x":                 "",
		"tar xzf x.tgz -C ~/b":     "/h/b</h/p/sub/x.tgz",
		"tar xCf ~/b x.tar":        "/h/b</h/p/sub/x.tar",
		"tar --extract --directory=/h/b --file=x.tar": "/h/b</h/p/sub/x.tar",
		"tar tf x.tar -C ~/b":                         "",
		"tar x -C ~/b < x.tar":                        "/h/b</h/p/sub/x.tar",
		"tar -xf - -C ~/b < x.tar":                    "/h/b</h/p/sub/x.tar",
		"tar -C ~/b -xf x.tar a -C /c d":              "/h/b</h/p/sub/x.tar /c</h/p/sub/x.tar",
		"tar c x < y":                                 "",
		"cd ~/b && tar xf ../p/x":                     "/h/b</h/p/x",
		"cd a && tar xf ../x":                         "",
		"unzip -oq x.zip a -d ~/b":                    "/h/b</h/p/sub/x.zip",
		"unzip -l x.zip -d ~/b":                       "",
		"cd ~/b; unzip /h/p/x.zip":                    "/h/b</h/p/x.zip",
		"7z x ~/p/x.7z -o/h/b":                        "/h/b</h/p/x.7z",
		"7z l x.7z -o/h/b":                            "",
		"cpio -idu -D ~/b < x.cpio":                   "/h/b</h/p/sub/x.cpio",
		"git -C ~/b apply x.diff":                     "/h/b</h/b/x.diff",
		"git -C ~/b apply -p1 /h/p/x.diff":            "/h/b</h/p/x.diff",
		"git -C ~/b am < x.diff":                      "/h/b</h/p/sub/x.diff",
		"git -C ~/b apply --check /h/p/x.diff":        "",
		"git apply x.diff":                            "",
		"patch -d ~/b -p1 -i x.diff":                  "/h/b</h/p/sub/x.diff",
		"patch -d ~/b -p1 < x.diff":                   "/h/b</h/p/sub/x.diff",
		"git archive -o ~/a HEAD":                     "/h/a<",
		"git diff --output=d":                         "/h/p/sub/d<",
		"git bundle create b HEAD":                    "/h/p/sub/b<",
		"split -l 9 x ~/part":                         "/h/part<",
		"gzip -c x":                                   "",
		"xz x y":                                      "/h/p/sub/x< /h/p/sub/y<",
	} {
		var got []string
		for _, u := range place.Line(line).Uses {
			if u.Kind == Writes {
				use := u.Path + "<" + u.By
				if u.Fixed {
					use += " fixed"
				}
				got = append(got, use)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", line, s, want)
		}
	}
}
