package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNull;

import io.memorygateway.auth.Caller;
import io.memorygateway.auth.KeyScopes;
import io.memorygateway.auth.ProviderKey;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The models that the key of a request may use (contract §15).
 *
 * @param callersKey the caller's own provider key; null if it sent none
 */
public record ModelScope(Router router, KeyScopes scopes, @Nullable ProviderKey callersKey) {
  public static ModelScope of(HttpServletRequest request, Router router) {
    Caller caller = requireNonNull((Caller) request.getAttribute(Caller.PROPERTY));
    return new ModelScope(
        router, caller.scopes(), (ProviderKey) request.getAttribute(ProviderKey.PROPERTY));
  }

  public boolean isEverything() {
    return scopes.models().isEmpty();
  }

  /** Whether it holds the model or route that is asked for by this name. */
  public boolean has(String asked) {
    return isEverything() || hasCanonical(router.canonical(asked, callersKey));
  }

  /** Refuses a call that names any other model. */
  public void check(Endpoint endpoint, RequestBody body) {
    check(endpoint, body, body.kept());
  }

  /**
   * Refuses a call whose thread brings tools that ask any other model: those that another key may
   * have stored in it.
   *
   * @param turn the body with what memory has added
   */
  public void check(Endpoint endpoint, RequestBody body, byte[] turn) {
    if (isEverything() || !endpoint.hasMemory() || !endpoint.format().bringsTools()) {
      return;
    }
    try {
      check(endpoint, body, RequestBody.parse(turn).kept());
    } catch (MalformedBodyException e) {
      // What is nested too deeply may name any model.
      throw scopes.otherModel();
    }
  }

  private void check(Endpoint endpoint, RequestBody body, RequestBody.Kept kept) {
    if (!isEverything()) {
      check(kept, router.canonical(endpoint, body, kept.named(), callersKey));
    }
  }

  /** Refuses a call that is passed on as it is, unless it names one model. */
  public void checkPassed(Endpoint endpoint, RequestBody body) {
    if (!isEverything()
        && (body.model().isEmpty() || body.models() != null || endpoint.isBatch())) {
      throw scopes.otherModel();
    }
  }

  /** Refuses a call that is passed on as it is to a target of another model. */
  public void checkPassed(RequestBody body, Target target) {
    if (!isEverything()) {
      Stream<String> followed =
          body.kept().named().stream().map(name -> Target.name(target.provider(), name));
      check(body.kept(), Stream.concat(Stream.of(target.name()), followed).toList());
    }
  }

  private void check(RequestBody.Kept kept, List<String> names) {
    if (kept.foreignModels() || !names.stream().allMatch(this::hasCanonical)) {
      throw scopes.otherModel();
    }
  }

  private boolean hasCanonical(String name) {
    return scopes.models().stream().anyMatch(pattern -> Globs.matches(pattern, name));
  }
}
