package shellrc
import ("testing";"strings";"time")
func TestZZ(t *testing.T){ u:=User{Home:"/home/x",Getenv:noEnv}
 fill:=func(pre,unit string) string { return pre+strings.Repeat(unit,(1<<20-len(pre))/len(unit)) }
 for _,c:=range []string{fill("if\n",". a\n"),fill("","if a;"),fill("","if a;else;"),fill("","if a;else if b;"),fill("","unalias a;alias b=c;"),fill("","function a;end;"),fill("for f in /a /b /c /d; do\n",". $f$f\n")} {
 for _,s:=range []Shell{Bash,Zsh,POSIX,Fish} { st:=time.Now(); u.Read(s,"rc",[]byte(c)); if d:=time.Since(st); d>800*time.Millisecond { t.Logf("%s %.20q %v",s,c,d) } } } }
