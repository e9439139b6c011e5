package io.memorygateway.proxy.call;

import io.memorygateway.budget.hold.Budgets;
import io.memorygateway.budget.hold.Demand;
import io.memorygateway.budget.hold.OpenHold;
import io.memorygateway.budget.hold.RunningBudgets;
import io.memorygateway.budget.hold.UncountedCalls;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.UsageFormat;
import io.memorygateway.format.call.CallMembers;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.admission.RequestPermit;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.ValueCount;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.price.Prices;
import io.memorygateway.price.Tokens;
import io.memorygateway.proxy.count.Uncounted;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.turn.MemoryRequest;
import io.memorygateway.usage.LoggedCall;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Has the budgets of a call hold what it may need (contract §15). */
public final class CallBudgets {
  /** No provider gives as many. */
  private static final long MAX_CHOICES = 1000;

  /** No provider takes as many; a product of the two and of a limit is a long. */
  private static final long MAX_PROMPTS = 100_000;

  private static final long FRAME_OF_CALL = 8;
  private static final long FRAME_OF_MESSAGE = 4;

  /** Members by which a provider adds to the input. */
  private static final Set<String> ADDING =
      Set.of(
          "previous_response_id",
          "conversation",
          "thread",
          "mcp_servers",
          "container",
          "web_search_options",
          "plugins", // OpenRouter, as is preset
          "preset",
          "search_parameters", // xAI
          "enable_search", // Qwen
          "search_options",
          "data_sources", // Azure
          "documents", // vLLM and Cohere
          "extra_body"); // Gemini

  /** What names of models have that search by themselves, or that have more instructions. */
  private static final List<String> ADDING_MODELS =
      List.of(":online", "@preset/", "sonar", "-search-", "deep-research", "compound");

  /** What names of models have that count an image as so many times the usual tokens. */
  private static final String LARGE_IMAGES = "gpt-4o-mini";

  private static final long TIMES_LARGE = 34;

  /** Types of tools that are the caller's. */
  private static final Set<String> OWN_TOOLS = Set.of("", "function", "custom");

  private final Budgets budgets;
  private final UncountedCalls uncounted;
  private final RunningBudgets running;
  private final Prices prices;
  private final InstantSource clock;
  private final TokenCounter tokens = new TokenCounter();
  private final TokenCounter bytes = TokenCounter.ofBytes();

  public CallBudgets(Budgets budgets, RunningBudgets running, Prices prices, InstantSource clock) {
    this.budgets = budgets;
    this.uncounted = new UncountedCalls(budgets);
    this.running = running;
    this.prices = prices;
    this.clock = clock;
  }

  /**
   * A call that budgets cover.
   *
   * @param body in the called format, with the output limit that they leave
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Held(OpenHold hold, byte[] body) {}

  /**
   * Holds what a call may need.
   *
   * @param body as the turn renders it
   * @return null if no budget covers the call
   * @throws io.memorygateway.http.errors.ApiException 402 or 429 if a budget leaves too little; 503
   */
  @Nullable Held hold(ProxyCall call, Route route, byte[] body) {
    if (!call.endpoint().usesTokens() || !budgets.mayCover(call.caller())) {
      return null;
    }
    // All that budgets need of it is read of these values.
    call.reservation().requireRequest(ValueCount.heapOf(body));
    JsonValue members = read(body, ParseOptions.LENIENT);
    List<Demand.Offer> offers = offers(call, route, call.format().serviceTier(members));
    if (call.format().isKeptByProviders() && call.body().kept().background()) {
      // What it used is told to whoever fetches it.
      Stream<String> named = route.isOnly() ? Stream.empty() : Stream.of(call.body().model());
      Stream.concat(named, offers.stream().map(Demand.Offer::target))
          .forEach(name -> uncounted.check(call.caller(), name, "responses in the background"));
    }
    if (call.body().kept().foreignModels() && route.serves(call.endpoint())) {
      uncounted.checkOthers(call.caller(), named(call, route), offers);
    }
    OutputLimit limit = OutputLimit.of(call.format(), members).toward(call.endpoint(), route);
    boolean isAhead =
        budgets
            .aheads()
            .has(call.caller().keyId(), call.endpoint().configName(), named(call, route), offers);
    Demand demand = demand(call, route, body, members, limit, offers, isAhead ? bytes : tokens);
    OpenHold hold = budgets.holdAhead(demand);
    if (hold == null && isAhead) {
      hold = waiting(call, () -> awaitLog(demand));
    }
    if (hold == null) {
      Demand counted = isAhead ? demand(call, route, body, members, limit, offers, tokens) : demand;
      hold = waiting(call, () -> budgets.hold(counted));
    }
    if (hold == null) {
      return null;
    }
    return new Held(hold, hold.limit() < 0 ? body : limit.set(body, hold.limit(), route.first()));
  }

  /**
   * What a call may need.
   *
   * @param by counts its input; to count tokens takes as long as it is
   */
  private Demand demand(
      ProxyCall call,
      Route route,
      byte[] body,
      JsonValue members,
      OutputLimit limit,
      List<Demand.Offer> offers,
      TokenCounter by) {
    boolean knowsDetail =
        route.formats(call.endpoint()).allMatch(Format::hasImageDetail) && !isSmall(offers);
    boolean isLarge = offers.stream().anyMatch(offer -> offer.model().contains(LARGE_IMAGES));
    Uncounted.Input input =
        Uncounted.input(call.endpoint(), body, members, knowsDetail, !isLarge, by);
    long frames = frames(call.endpoint(), members);
    long counted = input.tokens() + frames + (isLarge ? (TIMES_LARGE - 1) * input.ofNoText() : 0);
    long choices = choices(call.endpoint(), members);
    long assumed =
        call.endpoint() == Endpoint.EMBEDDINGS ? 0 : budgets.configuration().assumedOutput();
    long most = budgets.mostInput(call.caller(), offers, counted);
    long alike = by == bytes ? input.likelyByBytes() + frames : counted;
    long likely = most == counted ? alike : budgets.mostInput(call.caller(), offers, alike);
    long output =
        Math.multiplyExact(
            choices, limit.given() >= 0 ? limit.given() : Math.max(assumed, limit.own()));
    // To others the call is translated without them.
    CallMembers.Passes passes =
        route.serves(call.endpoint())
            ? CallMembers.passes(members, most, output, assumed)
            : CallMembers.Passes.NONE;
    boolean isUnknown =
        by == bytes
            || input.hasUnseen()
            || passes.read() > 0
            || hasMore(call.format(), members, offers);
    return new Demand(
        call.caller(),
        described(call),
        named(call, route),
        offers,
        isUnknown ? 0 : counted,
        most,
        likely,
        output,
        limit.given() >= 0 || call.endpoint() == Endpoint.EMBEDDINGS,
        limit.least(),
        (int) choices,
        new Demand.Extras(
            call.format().serviceTier(members),
            isRegional(members),
            Tokens.of(passes.read(), passes.written() + predicted(members, by))));
  }

  /** Whether some are models that see an image whole, whatever its call says of the detail. */
  private static boolean isSmall(List<Demand.Offer> offers) {
    return offers.stream()
        .map(Demand.Offer::model)
        .anyMatch(
            model ->
                !model.contains(LARGE_IMAGES)
                    && (model.contains("-mini") || model.contains("-nano")));
  }

  /** What of Chat's prediction is not taken is paid as output beside the answer. */
  private static long predicted(JsonValue members, TokenCounter by) {
    JsonValue prediction = members.get("prediction");
    return prediction == null ? 0 : by.count(prediction.raw());
  }

  private static boolean isRegional(JsonValue members) {
    return UsageFormat.isDearRegion(members.string(UsageFormat.REGION));
  }

  /** The name of a route, by which budgets may be of it; null if it is an only target. */
  private static @Nullable String named(ProxyCall call, Route route) {
    return route.isOnly() ? null : call.body().model();
  }

  /** Shows the tightest budget that covers a call whose answer is given again. */
  void show(ProxyCall call, Route route, BiConsumer<String, String> header) {
    if (!budgets.mayCover(call.caller())) {
      return;
    }
    List<Demand.Offer> offers = offers(call, route, null);
    RequestPermit permit = RequestPermit.of(call.request());
    permit.pause();
    try {
      running.show(call.caller(), named(call, route), offers, header);
    } catch (ApiException e) {
      // The answer is there, whatever the database says of budgets.
    } finally {
      permit.resume();
    }
  }

  /** Takes of what is held ahead once the log is no longer behind; null if it was not. */
  private @Nullable OpenHold awaitLog(Demand demand) {
    return budgets.aheads().awaitLog() ? budgets.holdAhead(demand) : null;
  }

  /** Lets the node work at other calls while one waits. */
  private static @Nullable OpenHold waiting(ProxyCall call, Supplier<@Nullable OpenHold> hold) {
    RequestPermit permit = RequestPermit.of(call.request());
    permit.pause();
    try {
      return hold.get();
    } finally {
      permit.resume();
    }
  }

  /**
   * Refuses a call of which nobody can tell what it will use, unless its budgets allow that.
   *
   * @throws io.memorygateway.http.errors.ApiException 402
   */
  void checkUncounted(ProxyCall call, Target target) {
    if (!call.endpoint().usesUncounted()) {
      return;
    }
    String calls = "calls of this endpoint";
    if (namesItsModel(call)) {
      uncounted.check(call.caller(), target.name(), calls);
    } else {
      uncounted.checkAny(call.caller(), target.provider().name(), calls);
    }
  }

  /** Whether a call that is passed on as it is names the one model that is to work. */
  private static boolean namesItsModel(ProxyCall call) {
    RequestBody body = call.body();
    return !body.model().isEmpty()
        && body.sentModels().isEmpty()
        && body.kept().fallbacks().isEmpty()
        && !body.kept().foreignModels()
        && !call.endpoint().isBatch();
  }

  private static Demand.Call described(ProxyCall call) {
    MemoryRequest memory = call.memory();
    String thread = memory.resourceId() == null ? null : memory.threadId();
    return new Demand.Call(
        String.valueOf(call.request().getAttribute(RequestId.ATTRIBUTE)),
        thread == null ? null : LoggedCall.hash(call.caller().projectId(), thread),
        call.endpoint().configName(),
        call.body().stream());
  }

  private List<Demand.Offer> offers(ProxyCall call, Route route, @Nullable String tier) {
    List<Demand.Offer> all = new ArrayList<>();
    for (List<Route.Choice> group : route.groups()) {
      group.forEach(choice -> all.addAll(offers(call, choice.target(), tier)));
    }
    // To find those that are there twice, all that is known of their prices is hashed.
    return all.size() == 1 ? all : all.stream().distinct().toList();
  }

  private List<Demand.Offer> offers(ProxyCall call, Target target, @Nullable String tier) {
    Endpoint endpoint = call.endpoint();
    boolean others = call.body().kept().foreignModels() && target.provider().serves(endpoint);
    Instant now = clock.instant();
    List<Demand.Offer> offers = new ArrayList<>();
    for (Prices.Model model : CallPrice.asked(target, endpoint, call.body())) {
      Prices.Price price = others ? null : price(model, tier, now);
      offers.add(new Demand.Offer(model.canonical(), model.provider(), model.name(), price));
    }
    return offers;
  }

  private Prices.@Nullable Price price(Prices.Model model, @Nullable String tier, Instant now) {
    Prices.Price price = prices.find(model, now);
    return price == null || !price.price().has(tier) ? null : price;
  }

  /**
   * How many answers a call asks for; of the legacy completions, each of its prompts has as many.
   */
  private static long choices(Endpoint endpoint, JsonValue members) {
    long choices = Math.min(MAX_CHOICES, Math.max(1, CallMembers.number(members, "n")));
    if (endpoint != Endpoint.COMPLETIONS) {
      return choices;
    }
    JsonValue prompt = members.get("prompt");
    long prompts =
        prompt == null || !prompt.isArray()
            ? 1
            : prompt.items().stream().filter(each -> !each.is(JsonValue.Kind.NUMBER)).count();
    choices = Math.max(choices, Math.min(MAX_CHOICES, CallMembers.number(members, "best_of")));
    return choices * Math.max(1, Math.min(MAX_PROMPTS, prompts));
  }

  /**
   * Whether the provider adds to the input what the gateway does not see: then what it counts says
   * nothing of how it counts.
   */
  private static boolean hasMore(Format format, JsonValue members, List<Demand.Offer> offers) {
    for (JsonValue.Field member : members.fields()) {
      String name = member.name();
      boolean adds = ADDING.contains(name) || (format.isKeptByProviders() && name.equals("prompt"));
      if (adds && !JsonValue.isEmpty(member.value())) {
        return true;
      }
    }
    for (JsonValue tool : CallMembers.tools(members)) {
      if (!OWN_TOOLS.contains(tool.text("type"))) {
        return true;
      }
    }
    for (String adding : ADDING_MODELS) {
      for (Demand.Offer offer : offers) {
        if (offer.model().contains(adding)) {
          return true;
        }
      }
    }
    return false;
  }

  /** What providers count around messages, beside the texts that are counted here. */
  private static long frames(Endpoint endpoint, JsonValue members) {
    if (!endpoint.hasMemory()) {
      return 0;
    }
    JsonValue messages = members.get(endpoint.format().inputMember());
    long count = messages == null || !messages.isArray() ? 1 : messages.items().size();
    return FRAME_OF_CALL + FRAME_OF_MESSAGE * count;
  }

  /** Parses a body that was checked when it arrived, but for what memory has added. */
  static JsonValue read(byte[] body, ParseOptions options) {
    try {
      return JsonValue.parse(body, options);
    } catch (MalformedJsonException e) {
      throw ApiException.invalidRequest(
          "The call is nested too deeply, with what its thread adds to it.");
    }
  }
}
