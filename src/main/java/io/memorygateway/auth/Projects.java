package io.memorygateway.auth;

import io.memorygateway.audit.Act;
import io.memorygateway.database.Home;
import io.memorygateway.database.Ids;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.api.Uuids;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.json.Timestamps;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Makes projects, each in a {@link Home} that it keeps (contract §1). */
final class Projects {
  private static final int MAX_NAME_LENGTH = 255;

  private final Transactions transactions;
  private final Ids ids;
  private final List<Home> homes;
  private final Clock clock;
  private final RandomGenerator random;

  /**
   * @param homes that new projects get
   */
  Projects(Transactions transactions, List<Home> homes, Clock clock, RandomGenerator random) {
    this.transactions = transactions;
    this.ids = new Ids(transactions);
    this.homes = List.copyOf(homes);
    this.clock = clock;
    this.random = random;
  }

  record Shown(String id, String name, int home, String createdAt) {}

  /**
   * Where the rows of a project and of its next key go.
   *
   * @param project its {@code projects.id}, if it is new
   * @param key an {@code api_keys.id}
   */
  record Place(Home home, long project, long key) {}

  /**
   * Makes a project.
   *
   * @param home null for the one with the fewest projects
   * @throws ApiException 409 if there is one of this name
   */
  Shown create(String name, @Nullable Home home, Act act) {
    requireName("project", name);
    requireNoBlankAtTheEnds(name);
    Home chosen = home == null ? leastUsed() : home;
    long id = ids.next(chosen);
    String publicId = Uuids.version7(clock, random).toString();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    Shown shown = new Shown(publicId, name, chosen.number(), Timestamps.format(now));
    return transactions.write(
        handle -> {
          if (addIfMissing(handle, id, publicId, name, now) != id) {
            throw ApiException.conflict("There is a project of this name.");
          }
          act.record(handle, publicId, null, shown);
          return shown;
        });
  }

  /** Chooses the place of a key before the transaction that issues it. */
  Place place(String project) {
    requireName("project", project);
    requireNoBlankAtTheEnds(project);
    Optional<Long> known =
        transactions.read(handle -> handle.attach(ApiKeyDao.class).findProject(project));
    Home home = known.map(Home::of).orElseGet(this::leastUsed);
    return new Place(home, known.orElseGet(() -> ids.next(home)), ids.next(home));
  }

  /** Adds a project, unless there is one of this name, and returns its {@code projects.id}. */
  private long addIfMissing(
      Handle handle, long id, String publicId, String name, Instant createdAt) {
    ApiKeyDao dao = handle.attach(ApiKeyDao.class);
    dao.addProjectIfMissing(id, publicId, name, createdAt);
    return dao.findProject(name).orElseThrow(() -> ids.taken(id));
  }

  /**
   * Adds a key, and its project, unless that is there.
   *
   * @param insert of the key, by the id of the project
   */
  void addKey(Handle handle, Place place, String project, Instant createdAt, LongConsumer insert) {
    String publicId = Uuids.version7(clock, random).toString();
    long id = addIfMissing(handle, place.project, publicId, project, createdAt);
    if (!Home.of(id).equals(place.home)) {
      throw ApiException.unavailable("The project has just been made elsewhere; try again.", 1);
    }
    ids.insert(handle, "api_keys", place.key, () -> insert.accept(id));
  }

  private Home leastUsed() {
    if (homes.size() == 1) {
      return homes.get(0);
    }
    Map<Home, Long> used =
        transactions.read(handle -> handle.attach(ApiKeyDao.class).projectIds()).stream()
            .collect(Collectors.groupingBy(Home::of, Collectors.counting()));
    return homes.stream()
        .min(Comparator.comparing(home -> used.getOrDefault(home, 0L)))
        .orElseThrow();
  }

  /** Refuses a name that nobody can see, is too long, or has control characters. */
  static void requireName(String what, String value) {
    if (!Characters.areShownName(value, MAX_NAME_LENGTH)) {
      throw ApiException.invalidRequest(
          what + " " + Characters.shownNameRule(MAX_NAME_LENGTH) + ".");
    }
  }

  /**
   * Refuses blanks at the ends: the database takes "shop " for "shop", so the key would belong to
   * another project.
   */
  private static void requireNoBlankAtTheEnds(String project) {
    if (isBlank(project.codePointAt(0)) || isBlank(project.codePointBefore(project.length()))) {
      throw ApiException.invalidRequest("project must not begin or end with a blank.");
    }
  }

  private static boolean isBlank(int character) {
    return Character.isWhitespace(character) || Character.isSpaceChar(character);
  }
}
