// Command k6 is Grafana k6 in the version of go.mod. It is a module because `go install go.k6.io/k6/v2@...` checks the host
// of k6's module for deprecations, which fails behind a module proxy.
package main

import "go.k6.io/k6/v2/cmd"

func main() { cmd.Execute() }
