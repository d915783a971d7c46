// Command k6 is Grafana k6 at the version of go.mod. `go install go.k6.io/k6/v2@...` asks the module's own
// host for deprecations, which fails behind a module proxy; a module of one's own does not.
package main

import "go.k6.io/k6/v2/cmd"

func main() { cmd.Execute() }
