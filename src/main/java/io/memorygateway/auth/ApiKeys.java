package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.api.Uuids;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Issues, lists, rotates, revokes, limits and scopes API keys (contract §1, §15).
 *
 * @param evict called with the hash of a secret that has just become valid or invalid, so that this
 *     node accepts or refuses it immediately
 */
public record ApiKeys(
    Transactions transactions,
    Projects projects,
    Clock clock,
    SecureRandom random,
    Consumer<String> evict) {
  /** A key with its secret, which is shown only here. */
  public record Issued(ApiKey key, String secret) {}

  /**
   * Issues a key, and creates its project if it is the first one.
   *
   * @param expiresIn validity of the key, or null for no end
   */
  public Issued issue(String project, String name, @Nullable Duration expiresIn, Act act) {
    Projects.requireName("name", name);
    Projects.Place place = projects.place(project);
    String secret = IssuedSecret.API_KEY.generate(random);
    Instant now = now();
    Instant expiresAt = expiresIn == null ? null : now.plus(expiresIn);
    String publicId = Uuids.version7(clock, random).toString();
    Issued issued =
        transactions.write(
            handle -> {
              ApiKeyDao dao = handle.attach(ApiKeyDao.class);
              projects.addKey(
                  handle,
                  place,
                  project,
                  now,
                  projectId ->
                      dao.insert(
                          place.key(),
                          publicId,
                          projectId,
                          name,
                          IssuedSecret.API_KEY.shown(secret),
                          IssuedSecret.hash(secret),
                          now,
                          expiresAt));
              ApiKey key = locked(dao, publicId);
              key.requireOpen();
              act.record(handle, publicId, null, KeyView.of(key));
              return new Issued(key, secret);
            });
    evict.accept(issued.key().secretHash());
    return issued;
  }

  /**
   * All keys in the order of their creation.
   *
   * @param project name; null for the keys of every project
   */
  public List<ApiKey> list(@Nullable String project) {
    return transactions.read(handle -> handle.attach(ApiKeyDao.class).list(project));
  }

  /** Replaces the secret of a key; the old one becomes invalid immediately. */
  public Issued rotate(String publicId, Act act) {
    String secret = IssuedSecret.API_KEY.generate(random);
    ApiKey rotated =
        change(
            publicId,
            act,
            (dao, key) -> {
              if (!key.isValidAt(now())) {
                throw ApiException.conflict("The key is revoked or expired; issue a new one.");
              }
              dao.replaceSecret(
                  key.id(), IssuedSecret.hash(secret), IssuedSecret.API_KEY.shown(secret));
            });
    return new Issued(rotated, secret);
  }

  /** Revokes a key; one that is already revoked is not changed. */
  public ApiKey revoke(String publicId, Act act) {
    return change(publicId, act, (dao, key) -> dao.revoke(key.id(), now()));
  }

  /**
   * Overrides a limit for a key.
   *
   * @param rule name of a rate-limit rule
   * @param limit requests per window, or null for the configured limit
   */
  public ApiKey limit(String publicId, String rule, @Nullable Long limit, Act act) {
    return change(
        publicId,
        act,
        (dao, key) -> {
          Map<String, Long> limits = new TreeMap<>(KeyLimits.parse(key.limits()));
          if (limit == null) {
            limits.remove(rule);
          } else {
            limits.put(rule, limit);
          }
          dao.setLimits(key.id(), KeyLimits.format(limits));
        });
  }

  /**
   * Changes what a key may do.
   *
   * @param values the parts that change, as in {@link KeyScopes#change}, and {@code expiresIn}: the
   *     validity from now on, empty for no end; of a key that has ended, for those who may issue
   *     one
   */
  public ApiKey scope(String publicId, ParameterValues values, Act act) {
    UnaryOperator<KeyScopes> change = KeyScopes.change(values);
    Duration expiresIn = values.duration("expiresIn");
    Instant expiresAt = expiresIn == null ? null : now().plus(expiresIn);
    return change(
        publicId,
        act,
        (dao, key) -> {
          boolean prolonged = values.isGiven("expiresIn") && !key.isValidAt(now());
          if (prolonged && !Role.of(act.role()).includes(KeyAction.ISSUE.role())) {
            throw ApiException.of(
                403,
                ErrorType.INVALID_REQUEST,
                "The key is not valid any more: another end needs the role owner.");
          }
          dao.setScopes(
              key.id(),
              KeyScopes.format(change.apply(KeyScopes.parse(key.scopes()))),
              values.isGiven("expiresIn") ? expiresAt : key.expiresAt());
        });
  }

  /** Changes a key and records that in one transaction; this node heeds it immediately. */
  ApiKey change(String publicId, Act act, BiConsumer<ApiKeyDao, ApiKey> change) {
    AtomicReference<String> before = new AtomicReference<>("");
    ApiKey changed =
        transactions.write(
            handle -> {
              ApiKeyDao dao = handle.attach(ApiKeyDao.class);
              ApiKey key = locked(dao, publicId);
              before.set(key.secretHash());
              change.accept(dao, key);
              ApiKey after = locked(dao, publicId);
              act.record(handle, publicId, KeyView.of(key), KeyView.of(after));
              return after;
            });
    evict.accept(before.get());
    return changed;
  }

  private static ApiKey locked(ApiKeyDao dao, String publicId) {
    return dao.lockByPublicId(publicId)
        .orElseThrow(() -> ApiException.notFound("There is no key with this id."));
  }

  /** The current time, in the precision of the database. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
