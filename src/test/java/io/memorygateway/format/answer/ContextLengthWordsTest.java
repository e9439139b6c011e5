package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which words servers say that a call is too long for its model. */
class ContextLengthWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        // vLLM, older and newer
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "You passed 5000 input tokens and requested 100 output tokens. However, the model's context"
            + " length is only 4096 tokens, resulting in a maximum input length of 3996 tokens.",
        "You passed 90000 input characters and requested 100 output tokens. However, the model's"
            + " context length is only 4096 tokens, resulting in a maximum input length of 3996"
            + " tokens (at most 63936 characters). Please reduce the length of the input prompt.",
        "This model's maximum context length is 4096 tokens. However, your request has at least"
            + " 5000 input tokens.",
        "This model's maximum context length is 4096 tokens. However, you requested 100 output"
            + " tokens and your prompt contains at least 3997 input tokens, for a total of at least"
            + " 4097 tokens. (parameter=input_tokens, value=3997)",
        "max_tokens must be at least 1, got -904. (parameter=max_tokens, value=-904)",
        // llama.cpp, and its Python bindings
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "Context size has been exceeded.",
        "Requested tokens (5000) exceed context window of 4096",
        // SGLang
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        "Input length (5000 tokens) exceeds the maximum allowed length (4096 tokens).",
        // Ollama
        "the input length exceeds the context length",
        // LM Studio
        "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)",
        "The number of tokens to keep from the initial prompt is greater than the context length",
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is"
            + " loaded with context length of only 4096 tokens",
        "Reached context length of 4096 tokens with model (m) that does not currently support"
            + " mid-generation context overflow.",
        // Text Generation Inference
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.",
        // Moonshot, xAI
        "Invalid request: Your request exceeded model token limit: 4096",
        "This model's maximum prompt length is 4096 but the request contains 5000 tokens.",
        // Vertex
        "Unable to submit request because the input token count is 5000 but model only supports up"
            + " to 4096.",
        // GitHub Copilot, GitHub Models
        "prompt token count of 5000 exceeds the limit of 4096",
        "Request body too large for m model. Max size: 4096 tokens.",
        // TensorRT-LLM
        "Cannot process new request: Prompt length (5000) exceeds maximum sequence length (4096)",
        "The sum of prompt length (5000.0), query length (0) should not exceed max_num_tokens"
            + " (4096)",
        // Mistral, Bedrock, Together, Fireworks
        "Prompt contains 5000 tokens and 0 draft tokens, too large for model with 4096 maximum"
            + " context length",
        "Input length (5000) exceeds model's maximum context length (4096).",
        "The prompt is too long: 5000, model maximum context length: 4096",
        // Cohere, Cloudflare, DeepInfra, watsonx, TabbyAPI, Doubao
        "too many tokens: size limit exceeded by 904 tokens. Try using shorter or fewer inputs.",
        "The estimated number of input and maximum output tokens (5000) exceeded this model context"
            + " window limit (4096).",
        "Requested input length 5000 exceeds maximum input length 4096",
        "the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
        "Prompt length 5000 is greater than max_seq_len 4096",
        "Input length 5000 exceeds the maximum length 4096",
        "Total tokens of image and text exceed max message tokens.",
        // vLLM of Responses, SiliconFlow, DS4, and words of several
        "The engine prompt length 5000 exceeds the max_model_len 4096. Please reduce prompt.",
        "length of prompt_tokens (5000) must be less than max_seq_len (4096).",
        "Prompt has 5,000 tokens, but the configured context size is 4,096 tokens",
        "Context length exceeded.",
        // TabbyAPI again, SambaNova
        "Context length 5000 exceeds max_seq_len 4096",
        "Requested generation length 100 is not possible! The provided prompt is 5000 tokens long,"
            + " so generating 100 tokens requires a sequence length of 5100, but the maximum"
            + " supported sequence length is just 4096!",
        "model_context_window_exceeded"
      })
  void areKnown(String words) {
    assertThat(
            new RefusalWords(("{\"error\":\"" + words + "\"}").getBytes(UTF_8)).isContextLength())
        .isTrue();
  }

  @Test
  void ofOtherErrorsAreNot() {
    for (String words :
        List.of(
            "max_tokens must be at least 1, got -1.",
            // OpenAI and Azure, DeepSeek, Doubao, Groq, Gemini, Bedrock
            "max_tokens is too large: 32000. This model supports at most 16384 completion tokens,"
                + " whereas you provided 32000.",
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            "The parameter `max_completion_tokens` specified in the request are not valid: integer"
                + " above maximum value, expected a value <= 12288, but got 32000 instead.",
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens`"
                + " is less than the `context_window` for this model",
            "Unable to submit request because it has a maxOutputTokens value of 100000 but the"
                + " supported range is from 1 (inclusive) to 65537 (exclusive).",
            "The maximum tokens you requested exceeds the model limit of 8192.",
            "The name of the tool exceeds the maximum length of 64.")) {
      byte[] error = ("{\"error\":\"" + words + "\"}").getBytes(UTF_8);
      assertThat(new RefusalWords(error).isContextLength()).isFalse();
    }
  }
}
