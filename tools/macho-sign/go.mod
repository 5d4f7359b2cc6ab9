// Signs programs for macOS where there is no Mac: scripts/executables uses it.
module avatarops/tools/macho-sign

go 1.26.2

tool avatarops/tools/macho-sign

require github.com/blacktop/go-macho v1.1.296

require github.com/blacktop/go-dwarf v1.1.0 // indirect
