package io.memorygateway.proxy.call;

import io.memorygateway.http.api.ApiPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/** Endpoints of providers that are passed on as they are, where a provider serves them. */
@Path(ApiPath.ROOT)
public record PassThroughResource(PassThrough passThrough) {
  /** Below {@code responses} stand ids, but for two paths, at which there is nothing to read. */
  private static final String PATH =
      "/{path: responses/(?!(compact|input_tokens)$).+"
          + "|(files|uploads|batches|messages/batches|audio|images|rerank|moderations)(/.*)?}";

  private static final String PROVIDER = "x-gateway-provider";

  @GET
  @Path(PATH)
  public Response get(
      @PathParam("path") String path,
      @HeaderParam(PROVIDER) @Nullable String provider,
      @Context HttpServletRequest request,
      @Context ContainerRequestContext received) {
    return passThrough.call(HttpMethod.GET, path, provider, request, received.getEntityStream());
  }

  @POST
  @Path(PATH)
  public Response post(
      @PathParam("path") String path,
      @HeaderParam(PROVIDER) @Nullable String provider,
      @Context HttpServletRequest request,
      @Context ContainerRequestContext received) {
    return passThrough.call(HttpMethod.POST, path, provider, request, received.getEntityStream());
  }

  @POST
  @Path(ApiPath.COMPACT_PATH)
  public Response compact(
      @HeaderParam(PROVIDER) @Nullable String provider,
      @Context HttpServletRequest request,
      @Context ContainerRequestContext received) {
    return post(ApiPath.COMPACT_PATH.substring(1), provider, request, received);
  }

  @DELETE
  @Path(PATH)
  public Response delete(
      @PathParam("path") String path,
      @HeaderParam(PROVIDER) @Nullable String provider,
      @Context HttpServletRequest request,
      @Context ContainerRequestContext received) {
    return passThrough.call(HttpMethod.DELETE, path, provider, request, received.getEntityStream());
  }
}
