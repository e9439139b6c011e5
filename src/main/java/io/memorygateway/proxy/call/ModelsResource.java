package io.memorygateway.proxy.call;

import com.google.common.primitives.Ints;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.proxy.route.ModelScope;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.Router;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints that list models: the routes and models of the configuration, and those that the
 * providers themselves list (contract §6, §10).
 */
@Path(ApiPath.ROOT + ApiPath.MODELS_PATH)
@Produces(MediaType.APPLICATION_JSON)
public final class ModelsResource {
  private static final String OWNER_OF_ROUTES = "memory-gateway";

  private final Router router;
  private final ProviderModels listed;
  private volatile @Nullable Rendered rendered;

  /** The answer that was made of some lists. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Rendered(List<Map<String, Integer>> lists, byte[] answer) {}

  private record Model(String id, String json) {}

  public ModelsResource(Router router, ProviderModels listed) {
    this.router = router;
    this.listed = listed;
  }

  /**
   * Lists those that the key may use, or a page of them.
   *
   * @param limit longest page; null for all
   * @param after id of the model before the page's first
   * @param before id of the model behind the page's last
   */
  @GET
  public Response list(
      @QueryParam("limit") @Nullable String limit,
      @QueryParam("after_id") @Nullable String after,
      @QueryParam("before_id") @Nullable String before,
      @Context HttpServletRequest request) {
    listed.refresh();
    ModelScope scope = ModelScope.of(request, router);
    if (limit != null || after != null || before != null || !scope.isEverything()) {
      List<Model> all = models().stream().filter(model -> scope.has(model.id())).toList();
      return JsonResponse.ok(page(all, limit, after, before));
    }
    List<Map<String, Integer>> lists = router.providers().stream().map(listed::of).toList();
    Rendered known = rendered;
    if (known == null || !known.lists().equals(lists)) {
      known = new Rendered(lists, list(models(), false));
      rendered = known;
    }
    return JsonResponse.ok(known.answer());
  }

  private static byte[] page(
      List<Model> all, @Nullable String limit, @Nullable String after, @Nullable String before) {
    Integer most = limit == null ? Integer.valueOf(all.size()) : Ints.tryParse(limit);
    if (most == null || (limit != null && most < 1)) {
      throw ApiException.invalidRequest("limit must be a number from 1.");
    }
    List<String> ids = all.stream().map(Model::id).toList();
    int from = after == null ? 0 : ids.indexOf(after) + 1;
    int to = before == null ? all.size() : ids.indexOf(before);
    if ((after != null && from == 0) || to < 0) {
      throw ApiException.invalidRequest("after_id and before_id must be of the list.");
    }
    to = Math.max(from, to);
    boolean backwards = before != null && after == null;
    int first = backwards ? Math.max(from, to - Math.min(most, to)) : from;
    int end = backwards ? to : Math.min(to, from + Math.min(most, all.size()));
    return list(all.subList(first, end), first > from || end < to);
  }

  private List<Model> models() {
    Map<String, Model> all = new LinkedHashMap<>();
    router.routes().forEach(route -> all.put(route, model(route, OWNER_OF_ROUTES)));
    for (Provider provider : router.providers()) {
      Stream.concat(
              provider.configuration().listedModels().stream()
                  .map(model -> provider.name() + "/" + model),
              listed.of(provider).keySet().stream())
          .forEach(name -> all.computeIfAbsent(name, id -> model(id, provider.name())));
    }
    return List.copyOf(all.values());
  }

  /** Shows one model, named with or without its provider; it may also match a pattern only. */
  @GET
  @Path("/{model: .+}")
  public Response one(@PathParam("model") String name, @Context HttpServletRequest request) {
    if (!ModelScope.of(request, router).has(name)) {
      throw ApiException.notFound("There is no such model.");
    }
    String route = router.routeName(name);
    if (route != null) {
      return answer(model(route, OWNER_OF_ROUTES));
    }
    // Patterns match themselves, but are no models.
    Router.KnownModel known = name.indexOf('*') >= 0 ? null : router.known(name);
    if (known == null) {
      listed.refresh();
      Provider provider = listed.listing(name);
      known = provider == null ? null : new Router.KnownModel(name, provider);
    }
    if (known == null) {
      throw ApiException.notFound("There is no such model.");
    }
    return answer(model(known.id(), known.provider().name()));
  }

  /** A model, with its context window from the configuration, else from its provider's list. */
  private Model model(String id, String owner) {
    int said = router.window(id);
    int window = said > 0 ? said : listed.window(router.unaliased(id));
    // The times are the epoch, since only the provider knows when it was created.
    JsonObject model =
        new JsonObject()
            .string("id", id)
            .string("object", "model")
            .number("created", 0)
            .string("owned_by", owner)
            .string("type", "model")
            .string("display_name", id)
            .string("created_at", "1970-01-01T00:00:00Z")
            .string("slug", id);
    if (window > 0) {
      model.number("context_window", window);
    }
    return new Model(id, model.toString());
  }

  private static Response answer(Model model) {
    return JsonResponse.ok(model.json().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * List of models in the formats of OpenAI, Anthropic and Codex at once: their readers ignore
   * unknown members.
   */
  private static byte[] list(List<Model> models, boolean more) {
    String all = models.stream().map(Model::json).collect(Collectors.joining(",", "[", "]"));
    return new JsonObject(2 * all.length() + 128)
        .string("object", "list")
        .raw("data", all)
        .raw("models", all)
        .raw("first_id", id(models, 0))
        .raw("last_id", id(models, models.size() - 1))
        .bool("has_more", more)
        .toBytes();
  }

  private static String id(List<Model> models, int at) {
    return models.isEmpty() ? "null" : JsonWriter.quote(models.get(at).id());
  }
}
