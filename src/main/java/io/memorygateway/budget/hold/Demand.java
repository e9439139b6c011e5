package io.memorygateway.budget.hold;

import io.memorygateway.auth.Caller;
import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.Home;
import io.memorygateway.price.PicoDollars;
import io.memorygateway.price.Prices.Price;
import io.memorygateway.price.Tokens;
import io.memorygateway.proxy.route.Globs;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a call may need of budgets.
 *
 * @param route by its name; null if the call names its only target
 * @param offers of the targets that it may go to
 * @param counted tokens of the input, as the gateway counts them; 0 if it does not see all of it,
 *     or takes the bytes of its texts for them
 * @param input the same, as the target may count them that counts the most
 * @param likely the same without what bytes are more than tokens
 * @param output the most tokens of all choices together, by the limit that the call gives or that
 *     is assumed
 * @param isLimited whether the call gives a limit
 * @param least output that a choice can be limited to
 * @param choices that the call asks for
 * @param extras that it asks for; null if it asks for none
 */
public record Demand(
    Caller caller,
    Call call,
    @Nullable String route,
    List<Offer> offers,
    long counted,
    long input,
    long likely,
    long output,
    boolean isLimited,
    long least,
    int choices,
    @Nullable Extras extras) {

  /** No model answers with more tokens in one choice. */
  private static final long LONGEST_ANSWER = 131_072;

  public Demand {
    offers = List.copyOf(offers);
  }

  /** A new id of the call, which carries the home of its project. */
  long newCallId() {
    return Home.of(caller.projectId()).randomId(ThreadLocalRandom.current());
  }

  /**
   * What the request log tells of a call if its node dies.
   *
   * @param threadHash lower-case hex; null without a thread
   */
  public record Call(
      String requestId, @Nullable String threadHash, String endpoint, boolean stream) {}

  /**
   * A target and its price.
   *
   * @param target as {@code provider/model}
   * @param price null if it is not known
   */
  public record Offer(String target, String provider, String model, @Nullable Price price) {}

  /**
   * What a call asks for that makes it cost more.
   *
   * @param serviceTier null if it asks for none
   * @param isRegional whether it asks for a region that costs more
   * @param passes what those that the provider makes beside the answer may use
   */
  public record Extras(@Nullable String serviceTier, boolean isRegional, Tokens passes) {
    private static final Extras NONE = new Extras(null, false, Tokens.of(0, 0));
  }

  /** The offers of a budget's models. */
  List<Offer> of(Budget budget) {
    return covered(budget, route, offers);
  }

  /** Those of the offers of a call, or of a route, that a budget is of. */
  static List<Offer> covered(Budget budget, @Nullable String route, List<Offer> offers) {
    if (budget.models().isEmpty() || (route != null && matches(budget, route))) {
      return offers;
    }
    return offers.stream().filter(offer -> matches(budget, offer.target)).toList();
  }

  static boolean matches(Budget budget, String name) {
    return budget.models().isEmpty()
        || budget.models().stream().anyMatch(glob -> Globs.matches(glob, name));
  }

  /** Whether a budget is of any model of a provider. */
  static boolean matchesAny(Budget budget, String provider) {
    return budget.models().isEmpty()
        || budget.models().stream().anyMatch(glob -> Globs.matchesAny(glob, provider + "/"));
  }

  /** The names of offers, or none if they are all that the call has. */
  Set<String> names(List<Offer> some) {
    return some.size() == offers.size()
        ? Set.of()
        : some.stream().map(Offer::target).collect(Collectors.toSet());
  }

  /** What is seen of the call once it has given an output. */
  Hold.Seen seen(long outputTokens) {
    return new Hold.Seen(likely, outputTokens, costOf(likely, outputTokens));
  }

  /** What tokens cost at the first target, at its usual price; 0 if that is not known. */
  private long costOf(long inputTokens, long outputTokens) {
    Price price = offers.get(0).price;
    Long cost =
        price == null ? null : price.price().cost(Tokens.of(inputTokens, outputTokens), null);
    return cost == null ? 0 : cost;
  }

  /**
   * The most that the call can count with an output.
   *
   * @return {@link Long#MAX_VALUE} if it cannot be told
   */
  long most(BudgetUnit unit, List<Offer> some, long outputTokens) {
    Extras asked = extras == null ? Extras.NONE : extras;
    long read = input + asked.passes.input();
    long written = outputTokens + asked.passes.output();
    if (unit == BudgetUnit.TOKENS) {
      return read + written;
    }
    long most = 0;
    for (Offer offer : some) {
      if (offer.price != null) {
        Long cost = offer.price.price().dearest(Tokens.upTo(read, written), asked.serviceTier);
        most = cost == null ? Long.MAX_VALUE : Math.max(most, cost);
      }
    }
    return asked.isRegional ? PicoDollars.regional(most) : most;
  }

  /** The most that the call can count, in both units; null if that cannot be told. */
  Ahead.@Nullable Amount most() {
    return most(output + beyond());
  }

  /**
   * The output beyond what is held of a whole answer without a limit, which cannot be given more.
   */
  long beyond() {
    return isLimited || call.stream ? 0 : Math.max(0, LONGEST_ANSWER * choices - output);
  }

  /** The same with another output. */
  Ahead.@Nullable Amount most(long outputTokens) {
    long cost = most(BudgetUnit.USD, offers, outputTokens);
    long tokens = most(BudgetUnit.TOKENS, offers, outputTokens);
    return cost == Long.MAX_VALUE ? null : new Ahead.Amount(tokens, cost);
  }

  /** The same without what is of this call alone. */
  Demand ofFurther() {
    return new Demand(
        caller,
        new Call("ahead", null, call.endpoint, call.stream),
        route,
        offers,
        counted,
        input,
        likely,
        output,
        isLimited,
        least,
        choices,
        extras);
  }
}
