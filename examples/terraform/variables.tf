variable "llm_api_key" {
  description = "Key of the model provider. In a pipeline, set TF_VAR_llm_api_key."
  type        = string
  sensitive   = true
  ephemeral   = true
}
