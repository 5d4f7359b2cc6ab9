// The newest Terraform for the tests of the provider: `npm run test:real` builds it once (8 minutes on one processor).
module avatarops/tools/terraform-core

go 1.26.2

require github.com/hashicorp/terraform v1.16.4
