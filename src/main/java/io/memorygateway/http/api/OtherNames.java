package io.memorygateway.http.api;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Serves the public API also at the paths that clients ask for whose base URL has no {@code /v1},
 * or has it twice, and at those of Azure's SDKs (contract §3). All that follows sees the right path
 * alone: keys, limits, logs and resources know of no other name.
 */
public final class OtherNames extends Handler.Wrapper {
  /** Request attribute with the model that a path of Azure's names. */
  public static final String DEPLOYMENT = OtherNames.class.getName() + ".deployment";

  private static final String PORT = "application";
  private static final String TWICE = ApiPath.ROOT + ApiPath.ROOT + "/";
  private static final String AZURE = "/openai";
  private static final String DEPLOYMENTS = AZURE + "/deployments/";
  private static final String AZURE_VERSION = "api-version=";

  /** Longest name of a model in a path. */
  private static final int MAX_MODEL = 255;

  /**
   * A right path.
   *
   * @param deployment the model that the other name of the path has in it; null if it has none
   */
  record Right(String path, @Nullable String deployment) {}

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    HttpURI asked = request.getHttpURI();
    boolean ours = PORT.equals(request.getConnectionMetaData().getConnector().getName());
    Right right = ours && asked.getPath() != null ? of(asked.getPath()) : null;
    if (right == null) {
      return super.handle(request, response, callback);
    }
    if (right.deployment() != null) {
      request.setAttribute(DEPLOYMENT, right.deployment());
    }
    String query = asked.getQuery();
    if (query != null && asked.getPath().startsWith(AZURE)) {
      query =
          Arrays.stream(query.split("&", -1))
              .filter(parameter -> !parameter.startsWith(AZURE_VERSION))
              .collect(Collectors.joining("&"));
    }
    String rest = query == null || query.isEmpty() ? "" : "?" + query;
    HttpURI uri = HttpURI.build(asked).pathQuery(right.path() + rest).asImmutable();
    return super.handle(Request.serveAs(request, uri), response, callback);
  }

  /** The path that is meant by another name of it; null if the path is none. */
  static @Nullable Right of(String path) {
    boolean twice = path.startsWith(TWICE);
    if (!twice && path.startsWith(ApiPath.ROOT + "/")) {
      return null;
    }
    if (path.startsWith(DEPLOYMENTS)) {
      return ofDeployment(path.substring(DEPLOYMENTS.length()));
    }
    String rest = path.startsWith(AZURE + "/") ? path.substring(AZURE.length()) : path;
    if (twice) {
      rest = rest.substring(ApiPath.ROOT.length());
    } else if (!rest.startsWith(ApiPath.ROOT + "/")) {
      rest = ApiPath.ROOT + rest;
    }
    return ApiPath.of(rest) == null ? null : new Right(rest, null);
  }

  /** The model may have slashes: it ends where a known path begins. */
  private static @Nullable Right ofDeployment(String rest) {
    int most = Math.min(MAX_MODEL, rest.length());
    for (int at = rest.indexOf('/'); at > 0 && at <= most; at = rest.indexOf('/', at + 1)) {
      String path = ApiPath.ROOT + rest.substring(at);
      if (ApiPath.of(path) != null) {
        try {
          String model = rest.substring(0, at).replace("+", "%2B");
          return new Right(path, URLDecoder.decode(model, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
          return null;
        }
      }
    }
    return null;
  }
}
