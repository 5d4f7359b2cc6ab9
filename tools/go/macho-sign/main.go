// Signs each named program without a certificate, like `codesign --force --sign -`.
package main

import (
	"log"
	"os"

	"github.com/blacktop/go-macho"
	"github.com/blacktop/go-macho/pkg/codesign"
	"github.com/blacktop/go-macho/pkg/codesign/types"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := sign(name); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

func sign(name string) error {
	file, err := macho.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	// Extends the segment that Node added, so that it fills its last page. Bytes between segments are not saved.
	if segment := file.Segment("NODE_SEA"); segment != nil {
		segment.Filesz = segment.Memsz
	}
	if err := file.CodeSign(&codesign.Config{ID: "avatarops", Flags: types.ADHOC}); err != nil {
		return err
	}
	return file.Save(name)
}
