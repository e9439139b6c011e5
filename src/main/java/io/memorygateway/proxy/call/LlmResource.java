package io.memorygateway.proxy.call;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.api.OtherNames;
import io.memorygateway.http.api.RequestNotes;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.setup.DirectFilter;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.turn.MemoryRequest;
import io.memorygateway.turn.Sessions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Endpoints whose calls are passed on to a provider (contract §6). */
@Path(ApiPath.ROOT)
@Consumes(MediaType.APPLICATION_JSON)
@Produces({MediaType.APPLICATION_JSON, MediaType.SERVER_SENT_EVENTS})
public record LlmResource(LlmProxy proxy, Sessions sessions) {
  /** Handlers of the same endpoints by path, for requests that do not need Jersey. */
  public Map<String, DirectFilter.Handler> direct() {
    return Arrays.stream(Endpoint.values())
        .filter(endpoint -> !endpoint.isPassedThrough())
        .collect(
            Collectors.toMap(
                Endpoint::gatewayPath,
                endpoint -> (request, body) -> call(endpoint, body, request)));
  }

  @POST
  @Path(ApiPath.CHAT_PATH)
  public Response chatCompletions(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.CHAT, body, request);
  }

  @POST
  @Path(ApiPath.RESPONSES_PATH)
  public Response responses(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.RESPONSES, body, request);
  }

  @POST
  @Path(ApiPath.MESSAGES_PATH)
  public Response messages(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.MESSAGES, body, request);
  }

  @POST
  @Path(ApiPath.COUNT_TOKENS_PATH)
  public Response countTokens(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.COUNT_TOKENS, body, request);
  }

  @POST
  @Path(ApiPath.INPUT_TOKENS_PATH)
  public Response inputTokens(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.INPUT_TOKENS, body, request);
  }

  @POST
  @Path(ApiPath.COMPLETIONS_PATH)
  public Response completions(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.COMPLETIONS, body, request);
  }

  @POST
  @Path(ApiPath.EMBEDDINGS_PATH)
  public Response embeddings(byte[] body, @Context HttpServletRequest request) {
    return call(Endpoint.EMBEDDINGS, body, request);
  }

  private Response call(Endpoint endpoint, byte[] body, HttpServletRequest request) {
    KeyScopes scopes = ((Caller) request.getAttribute(Caller.PROPERTY)).scopes();
    scopes.checkEndpoint(endpoint.scopeName());
    if (!endpoint.hasMemory()) {
      return proxy.call(new ProxyCall(endpoint, parse(body, request), MemoryHeaders.NONE, request));
    }
    MemoryRequest memory = MemoryHeaders.read(endpoint.gatewayPath(), request);
    RequestBody parsed = parse(body, request);
    MemoryRequest decided =
        sessions.decide(memory, name -> MemoryHeaders.text(request.getHeader(name)), parsed);
    if (decided.threadId() != null) {
      scopes.checkMemory(false);
    }
    return proxy.call(new ProxyCall(endpoint, parsed, decided, request));
  }

  private static RequestBody parse(byte[] body, HttpServletRequest request) {
    RequestNotes.of(request).bodyRead();
    try {
      return RequestBody.parse(body, (String) request.getAttribute(OtherNames.DEPLOYMENT));
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    }
  }
}
