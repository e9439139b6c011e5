package io.memorygateway.admin;

import io.memorygateway.audit.Act;
import io.memorygateway.auth.IssuedSecret;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.api.Uuids;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.operator.Role;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Issues, lists and revokes admin tokens. Every token expires. */
record AdminTokens(Transactions transactions, Clock clock, SecureRandom random) {
  static final Duration DEFAULT_VALIDITY = Duration.ofDays(90);
  private static final Duration MAX_VALIDITY = Duration.ofDays(366);
  private static final int MAX_NAME_LENGTH = 200;

  /** Issues a token; only this result contains its secret. */
  AdminTokenView issue(String name, Role role, Duration validity, Act act) {
    if (!Characters.areShownName(name, MAX_NAME_LENGTH)) {
      throw ApiException.invalidRequest("name " + Characters.shownNameRule(MAX_NAME_LENGTH) + ".");
    }
    if (validity.compareTo(MAX_VALIDITY) > 0) {
      throw ApiException.invalidRequest("expiresIn must be no more than 366d.");
    }
    String secret = IssuedSecret.ADMIN_TOKEN.generate(random);
    String publicId = Uuids.version7(clock, random).toString();
    Instant now = now();
    AdminToken issued =
        transactions.write(
            handle -> {
              AdminTokenDao dao = handle.attach(AdminTokenDao.class);
              dao.insert(
                  publicId,
                  name,
                  role.wireName(),
                  IssuedSecret.ADMIN_TOKEN.shown(secret),
                  IssuedSecret.hash(secret),
                  now,
                  now.plus(validity));
              AdminToken token = locked(dao, publicId);
              act.record(handle, publicId, null, AdminTokenView.of(token, null));
              return token;
            });
    return AdminTokenView.of(issued, secret);
  }

  /** The oldest thousand tokens. */
  List<AdminTokenView> list() {
    return transactions.read(handle -> handle.attach(AdminTokenDao.class).list()).stream()
        .map(token -> AdminTokenView.of(token, null))
        .toList();
  }

  /** Revokes a token; one that is already revoked is not changed. */
  AdminTokenView revoke(String publicId, Act act) {
    AdminToken revoked =
        transactions.write(
            handle -> {
              AdminTokenDao dao = handle.attach(AdminTokenDao.class);
              AdminToken before = locked(dao, publicId);
              dao.revoke(before.id(), now());
              AdminToken after = locked(dao, publicId);
              act.record(
                  handle,
                  publicId,
                  AdminTokenView.of(before, null),
                  AdminTokenView.of(after, null));
              return after;
            });
    return AdminTokenView.of(revoked, null);
  }

  /** Finds the token with that hash of its secret, valid or not. */
  Optional<AdminToken> find(String secretHash) {
    return transactions.read(handle -> handle.attach(AdminTokenDao.class).find(secretHash));
  }

  private static AdminToken locked(AdminTokenDao dao, String publicId) {
    return dao.lock(publicId)
        .orElseThrow(() -> ApiException.notFound("There is no token with this id."));
  }

  /** The current time, in the precision of the database. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }
}
