// Checks the configurations of an Atlantis server and a repository with Atlantis's own parser.
//
//	atlantis FOLDER
//
// The folder contains repos.yaml (server) and atlantis.yaml (repository).
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/runatlantis/atlantis/server/core/config"
	"github.com/runatlantis/atlantis/server/core/config/valid"
)

func main() {
	folder, err := filepath.Abs(os.Args[1])
	refuse(err)
	parser := config.ParserValidator{}
	server := filepath.Join(folder, "repos.yaml")
	global, err := parser.ParseGlobalCfg(server, valid.NewGlobalCfgFromArgs(valid.GlobalCfgArgs{}))
	refuse(err)
	_, err = parser.ParseRepoCfg(folder, global, "github.com/team/avatars", "main")
	refuse(err)
}

func refuse(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
