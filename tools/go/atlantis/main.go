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
	exitOn(err)
	parser := config.ParserValidator{}
	server := filepath.Join(folder, "repos.yaml")
	global, err := parser.ParseGlobalCfg(server, valid.NewGlobalCfgFromArgs(valid.GlobalCfgArgs{}))
	exitOn(err)
	_, err = parser.ParseRepoCfg(folder, global, "github.com/team/avatars", "main")
	exitOn(err)
}

func exitOn(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
