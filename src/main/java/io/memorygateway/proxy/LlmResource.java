package io.memorygateway.proxy;

import io.memorygateway.dialect.ChatDialect;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.MalformedBodyException;
import io.memorygateway.dialect.MessagesDialect;
import io.memorygateway.dialect.RequestBody;
import io.memorygateway.dialect.ResponsesDialect;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.RequestNotes;
import io.memorygateway.memory.IdempotencyClaim;
import io.memorygateway.turn.Turns;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jspecify.annotations.Nullable;

/** The calls that are passed on to a provider (contract §6). */
@Path("/v1")
@Consumes(MediaType.APPLICATION_JSON)
@Produces({MediaType.APPLICATION_JSON, MediaType.SERVER_SENT_EVENTS})
public final class LlmResource {
  private static final String THREAD = "x-thread-id";
  private static final String RESOURCE = "x-resource-id";

  private final LlmProxy proxy;
  private final Dialect chat = new ChatDialect();
  private final Dialect responses = new ResponsesDialect();
  private final Dialect messages = new MessagesDialect();

  LlmResource(LlmProxy proxy) {
    this.proxy = proxy;
  }

  /** OpenAI Chat Completions. */
  @POST
  @Path("/chat/completions")
  public Response chatCompletions(
      @HeaderParam(THREAD) @Nullable String thread,
      @HeaderParam(RESOURCE) @Nullable String resource,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      byte[] body,
      @Context HttpServletRequest request) {
    return turn(Endpoint.CHAT, chat, thread, resource, key, body, request);
  }

  /** OpenAI Responses. */
  @POST
  @Path("/responses")
  public Response responses(
      @HeaderParam(THREAD) @Nullable String thread,
      @HeaderParam(RESOURCE) @Nullable String resource,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      byte[] body,
      @Context HttpServletRequest request) {
    return turn(Endpoint.RESPONSES, responses, thread, resource, key, body, request);
  }

  /** Anthropic Messages. */
  @POST
  @Path("/messages")
  public Response messages(
      @HeaderParam(THREAD) @Nullable String thread,
      @HeaderParam(RESOURCE) @Nullable String resource,
      @HeaderParam(IdempotencyClaim.HEADER) @Nullable String key,
      byte[] body,
      @Context HttpServletRequest request) {
    return turn(Endpoint.MESSAGES, messages, thread, resource, key, body, request);
  }

  /** Anthropic's token counting. */
  @POST
  @Path("/messages/count_tokens")
  public Response countTokens(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.COUNT_TOKENS, messages, MemoryHeaders.NONE, body, request);
  }

  /** OpenAI's legacy completions: their usage and streams are those of chat completions. */
  @POST
  @Path("/completions")
  public Response completions(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.COMPLETIONS, chat, MemoryHeaders.NONE, body, request);
  }

  /** OpenAI embeddings: the same shape of usage as a chat completion's. */
  @POST
  @Path("/embeddings")
  public Response embeddings(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.EMBEDDINGS, chat, MemoryHeaders.NONE, body, request);
  }

  private Response turn(
      Endpoint endpoint,
      Dialect dialect,
      @Nullable String thread,
      @Nullable String resource,
      @Nullable String key,
      byte[] body,
      HttpServletRequest request) {
    Turns.Wish memory = MemoryHeaders.read(thread, resource, key, endpoint.gatewayPath(), request);
    return call(endpoint, dialect, memory, body, request);
  }

  private Response call(
      Endpoint endpoint,
      Dialect dialect,
      Turns.Wish memory,
      byte[] body,
      HttpServletRequest request) {
    RequestNotes.of(request).bodyRead();
    RequestBody parsed;
    try {
      parsed = RequestBody.parse(body);
    } catch (MalformedBodyException e) {
      throw new ApiException(ApiError.invalidRequest(String.valueOf(e.getMessage())));
    }
    return proxy.call(new ProxyCall(endpoint, dialect, parsed, memory, request));
  }
}
