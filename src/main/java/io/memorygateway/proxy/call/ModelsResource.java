package io.memorygateway.proxy.call;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.primitives.Ints;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final ObjectMapper json = new ObjectMapper();
  private volatile @Nullable Rendered rendered;

  /** The answer that was made of some lists. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Rendered(List<Map<String, Integer>> lists, byte[] answer) {}

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
      return JsonResponse.of(200, bytes(page(all, limit, after, before))).build();
    }
    List<Map<String, Integer>> lists = router.providers().stream().map(listed::of).toList();
    Rendered known = rendered;
    if (known == null || !known.lists().equals(lists)) {
      known = new Rendered(lists, bytes(ModelList.of(models(), false)));
      rendered = known;
    }
    return JsonResponse.of(200, known.answer()).build();
  }

  private static ModelList page(
      List<Model> all, @Nullable String limit, @Nullable String after, @Nullable String before) {
    Integer most = limit == null ? Integer.valueOf(all.size()) : Ints.tryParse(limit);
    if (most == null || (limit != null && most < 1)) {
      throw new ApiException(ApiError.invalidRequest("limit must be a number from 1."));
    }
    List<String> ids = all.stream().map(Model::id).toList();
    int from = after == null ? 0 : ids.indexOf(after) + 1;
    int to = before == null ? all.size() : ids.indexOf(before);
    if ((after != null && from == 0) || to < 0) {
      throw new ApiException(
          ApiError.invalidRequest("after_id and before_id must be of the list."));
    }
    to = Math.max(from, to);
    boolean backwards = before != null && after == null;
    int first = backwards ? Math.max(from, to - Math.min(most, to)) : from;
    int end = backwards ? to : Math.min(to, from + Math.min(most, all.size()));
    return ModelList.of(all.subList(first, end), first > from || end < to);
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
      throw new ApiException(ApiError.notFound("There is no such model."));
    }
    String route = router.routeName(name);
    if (route != null) {
      return JsonResponse.of(200, bytes(model(route, OWNER_OF_ROUTES))).build();
    }
    Router.KnownModel known = isPattern(name) ? null : router.known(name);
    if (known == null) {
      listed.refresh();
      Provider provider = listed.listing(name);
      known = provider == null ? null : new Router.KnownModel(name, provider);
    }
    if (known == null) {
      throw new ApiException(ApiError.notFound("There is no such model."));
    }
    return JsonResponse.of(200, bytes(model(known.id(), known.provider().name()))).build();
  }

  /** A model, with its context window from the configuration, else from its provider's list. */
  private Model model(String id, String owner) {
    int said = router.window(id);
    int window = said > 0 ? said : listed.window(router.unaliased(id));
    return new Model(
        id, "model", 0, owner, "model", id, "1970-01-01T00:00:00Z", id, window > 0 ? window : null);
  }

  /** Patterns match themselves, but are no models. */
  private static boolean isPattern(String name) {
    return name.indexOf('*') >= 0;
  }

  private byte[] bytes(Object answer) {
    try {
      return json.writeValueAsBytes(answer);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // the model consists of strings and numbers
    }
  }

  /**
   * List of models in the formats of OpenAI, Anthropic and Codex at once: their readers ignore
   * unknown members.
   */
  public record ModelList(
      String object,
      List<Model> data,
      List<Model> models,
      @JsonProperty("first_id") @Nullable String firstId,
      @JsonProperty("last_id") @Nullable String lastId,
      @JsonProperty("has_more") boolean hasMore) {

    static ModelList of(List<Model> models, boolean more) {
      return new ModelList(
          "list",
          List.copyOf(models),
          List.copyOf(models),
          models.isEmpty() ? null : models.get(0).id(),
          models.isEmpty() ? null : models.get(models.size() - 1).id(),
          more);
    }
  }

  /** One model. The times are the epoch, since only the provider knows when it was created. */
  public record Model(
      String id,
      String object,
      long created,
      @JsonProperty("owned_by") String ownedBy,
      String type,
      @JsonProperty("display_name") String displayName,
      @JsonProperty("created_at") String createdAt,
      String slug,
      @JsonProperty("context_window") @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable Integer contextWindow) {}
}
