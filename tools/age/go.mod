// Makes age keys for the tests with real SOPS: `npm run test:real` builds and runs it.
module avatarops/tools/age

go 1.26.2

tool filippo.io/age/cmd/age-keygen

require (
	filippo.io/age v1.3.2 // indirect
	filippo.io/hpke v0.4.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/term v0.45.0 // indirect
)
