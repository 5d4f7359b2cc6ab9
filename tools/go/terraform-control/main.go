// Minimal Terraform provider of contexts with a name and a prompt. It sends one GET for each read, without checks or recovery.
// `npm run bench -- terraform` compares it with ours, to show the cost of Go and terraform-plugin-framework for the same requests.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/avatarops/control"}
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return &control{} }, options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type control struct{}

func (*control) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "control"
}

func (*control) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = providerschema.Schema{}
}

func (*control) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (*control) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*control) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &contextResource{} }}
}

type contextResource struct{}

type contextModel struct {
	ID     types.String `tfsdk:"id"`
	Name   types.String `tfsdk:"name"`
	Prompt types.String `tfsdk:"prompt"`
}

func (*contextResource) Metadata(_ context.Context, _ resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = "control_context"
}

func (*contextResource) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"name":   schema.StringAttribute{Required: true},
		"prompt": schema.StringAttribute{Required: true},
	}}
}

// Service response with a context.
type answer struct {
	Data struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Prompt string `json:"prompt"`
	} `json:"data"`
}

// Keeps one connection for each parallel operation of terraform.
var client = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 10
	return &http.Client{Transport: transport}
}()

func ask(ctx context.Context, method, place string, body any) (contextModel, error) {
	var model contextModel
	sent, err := json.Marshal(body)
	if err != nil {
		return model, err
	}
	request, err := http.NewRequestWithContext(ctx, method, os.Getenv("AVATAROPS_BASE_URL")+place, bytes.NewReader(sent))
	if err != nil {
		return model, err
	}
	request.Header.Set("X-API-KEY", os.Getenv("AVATAROPS_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return model, err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return model, fmt.Errorf("%s %s: %s", method, place, response.Status)
	}
	var got answer
	err = json.NewDecoder(response.Body).Decode(&got)
	model.ID = types.StringValue(got.Data.ID)
	model.Name = types.StringValue(got.Data.Name)
	model.Prompt = types.StringValue(got.Data.Prompt)
	return model, err
}

func (*contextResource) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	var plan contextModel
	response.Diagnostics.Append(request.Plan.Get(ctx, &plan)...)
	fields := map[string]string{"name": plan.Name.ValueString(), "prompt": plan.Prompt.ValueString()}
	made, err := ask(ctx, http.MethodPost, "/v1/contexts", fields)
	if err != nil {
		response.Diagnostics.AddError("create", err.Error())
		return
	}
	plan.ID = made.ID
	response.Diagnostics.Append(response.State.Set(ctx, plan)...)
}

func (*contextResource) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var id types.String
	response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root("id"), &id)...)
	read, err := ask(ctx, http.MethodGet, "/v1/contexts/"+id.ValueString(), nil)
	if err != nil {
		response.Diagnostics.AddError("read", err.Error())
		return
	}
	response.Diagnostics.Append(response.State.Set(ctx, read)...)
}

func (*contextResource) Update(_ context.Context, _ resource.UpdateRequest, response *resource.UpdateResponse) {
	response.Diagnostics.AddError("update", "The comparison updates nothing.")
}

// Deletes nothing, because the service ends with the comparison.
func (*contextResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
