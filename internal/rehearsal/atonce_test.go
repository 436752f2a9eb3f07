// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

func TestAtOnce(t *testing.T) {
	const gB = "000000 kB\n"
	for _, c := range []struct {
		cores                     int
		meminfo, max, using, stat string
		want                      int
	}{
		{0, "", "", "", "", 2},
		{1, "MemTotal: 9" + gB + "MemAvailable: 8" + gB, "", "", "", 1},
		{8, "MemTotal: 9" + gB + "MemAvailable: 8" + gB, "max\n", "5\n", "", 8},
		{8, "MemAvailable: 1" + gB, "", "", "", 2},
		{8, "MemAvailable: 100 kB\n", "", "", "", 1},
		{8, "MemAvailable: 8" + gB, "1400000000\n", "500000000\n", "", 2},
		{8, "MemAvailable: 8" + gB, "2000000000\n", "1900000000\n", "anon 200000000\nfile 1700000000\ninactive_anon 5\n" +
			"inactive_file 1600000000\n", 4},
		{8, "MemAvailable: 8" + gB, "2000000000\n", "5\n", "inactive_file 1600000000\n", 4},
		{4, "MemAvailable:\n", "what", "", "", 4},
	} {
		root := t.TempDir()
		for path, text := range map[string]string{"proc/meminfo": c.meminfo, "sys/fs/cgroup/memory.max": c.max,
			"sys/fs/cgroup/memory.current": c.using,
			"sys/fs/cgroup/memory.stat":    c.stat} {
			at := filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o644); text != "" && err != nil {
				t.Fatal(err)
			}
		}
		h, err := host.New(env.System{Env: env.New([]string{"HOME=" + root}), GOOS: "linux", Root: root, Cores: c.cores})
		if err != nil {
			t.Fatal(err)
		}
		if got := AtOnce(h); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
