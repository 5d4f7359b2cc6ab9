variable "llm_api_key" {
  description = "Key of the model's provider; in a pipeline from TF_VAR_llm_api_key."
  type        = string
  sensitive   = true
  ephemeral   = true
}
