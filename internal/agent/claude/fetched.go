// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the table is the runtime's own (TestTheHostsOfWebFetchAreTheRuntimes).

package claude

import (
	"path"
	"slices"
	"strings"
)

// FetchedUnasked are the hosts whose pages WebFetch asks for without a prompt where no
// rule names them, some with the directory below which it does. Source: the code of
// 2.1.324 and 2.1.330.
var FetchedUnasked = strings.Fields(`
	platform.claude.com code.claude.com claude.dev www.claude.dev claude.com/docs modelcontextprotocol.io
	github.com/anthropics github.com/anthropic-experimental raw.githubusercontent.com/anthropics
	raw.githubusercontent.com/anthropic-experimental agentskills.io docs.python.org en.cppreference.com
	docs.oracle.com learn.microsoft.com developer.mozilla.org go.dev/doc go.dev/ref www.php.net docs.swift.org
	kotlinlang.org ruby-doc.org doc.rust-lang.org www.typescriptlang.org react.dev angular.io vuejs.org
	nextjs.org expressjs.com nodejs.org bun.sh jquery.com getbootstrap.com tailwindcss.com d3js.org threejs.org
	redux.js.org webpack.js.org jestjs.io reactrouter.com docs.djangoproject.com flask.palletsprojects.com
	fastapi.tiangolo.com pandas.pydata.org numpy.org www.tensorflow.org pytorch.org scikit-learn.org
	matplotlib.org requests.readthedocs.io jupyter.org laravel.com symfony.com wordpress.org/documentation
	docs.spring.io hibernate.org tomcat.apache.org gradle.org maven.apache.org asp.net dotnet.microsoft.com
	blazor.net reactnative.dev docs.flutter.dev developer.apple.com developer.android.com keras.io
	spark.apache.org huggingface.co/docs www.kaggle.com/docs www.mongodb.com redis.io www.postgresql.org
	dev.mysql.com www.sqlite.org graphql.org prisma.io docs.getdbt.com docs.aws.amazon.com cloud.google.com
	kubernetes.io www.docker.com www.terraform.io www.ansible.com vercel.com/docs docs.stripe.com
	docs.netlify.com devcenter.heroku.com dev.wix.com/docs cypress.io selenium.dev docs.unity.com
	docs.unrealengine.com git-scm.com nginx.org httpd.apache.org`)

// FetchesUnasked says whether WebFetch asks for the pages of a host without a prompt:
// all, or those below a directory.
func FetchesUnasked(host string) (all bool, below string) {
	if slices.Contains(FetchedUnasked, host) {
		return true, ""
	}
	for _, name := range FetchedUnasked {
		if of, dir, ok := strings.Cut(name, "/"); ok && of == host {
			return false, "/" + dir
		}
	}
	return false, ""
}

// fetchLiteral has path.Match take every character but a star for itself.
var fetchLiteral = strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`)

// FetchRuleNames says whether a WebFetch rule with this content is about a host, for the
// tool: a star is any text, case and dots at the end do not count, and no rule with a
// port is about any. The sandbox's proxy reads the same rules otherwise (measured with
// 2.1.330: TestPagesAreJudgedAsTheRuntimeJudgesThem).
func FetchRuleNames(content, host string) bool {
	domain, ok := strings.CutPrefix(content, "domain:")
	bare := func(name string) string { return strings.TrimRight(strings.ToLower(name), ".") }
	named, err := path.Match(fetchLiteral.Replace(bare(domain)), bare(host))
	return content == "*" || ok && err == nil && named
}
