package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNull;

import io.memorygateway.format.answer.RefusedLimit;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.ReasoningRemoval;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.Roles;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Sampling;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ValueCount;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.count.InputTokens;
import io.memorygateway.proxy.count.Uncounted;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ModelVendor;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The body of one call for each of its targets: with the model's name there, without reasoning that
 * only another vendor's models accept, and without what memory has added for a provider that takes
 * more of earlier answers. A call does not say whose reasoning it contains; it is presumed to be of
 * the vendor of the route's first target.
 */
final class TargetBodies {
  /** The status of a call that a target cannot be told. */
  static final int CANNOT_BE_SAID = 400;

  private final ProxyCall call;
  private final Route route;
  private final byte[] turn;
  private final TokenCounter tokens = new TokenCounter();
  private final long heldBytes;
  private final TargetDemands demands;
  private final ThreadThoughts thoughts;
  private final Set<Target> withoutReasoning = new HashSet<>();

  /** Of the body that was made last; null if it was not translated. */
  private @Nullable Translation translation;

  private @Nullable RequestBody parsed;

  /** The target that was asked about last, and the body for it. */
  private @Nullable Target saidTo;

  private @Nullable TargetBody said;

  /** Of the body that was made last. */
  private int hash;

  /** What the provider takes that the turn is written for. */
  private ProviderTraits written = ProviderTraits.ALL;

  /**
   * @param turn body as the turn renders it, with the model of the first target that is tried
   */
  TargetBodies(ProxyCall call, Route route, byte[] turn, Refusals refusals) {
    this.thoughts = new ThreadThoughts(call, refusals);
    this.demands = new TargetDemands(refusals, call.caller().projectId());
    this.call = call;
    this.route = route;
    this.turn = turn;
    // While an answer is awaited only the bytes are held, and one copy of them if they are changed.
    int copies = route.allowsRetry() ? 2 : 1;
    this.heldBytes = 2L * call.body().length() + (long) copies * turn.length;
    call.reservation().shrinkRequestTo(heldBytes);
  }

  /**
   * A body as it goes upstream.
   *
   * @param called the same in the called format
   * @param translation into the format of the target; null if that is the called one
   * @param thoughtless whether reasoning was left out before anything was translated
   * @param beta that it needs of Anthropic's API; null if none
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record TargetBody(
      byte[] bytes,
      byte[] called,
      @Nullable Translation translation,
      boolean thoughtless,
      @Nullable String beta) {
    TargetBody(
        byte[] bytes, byte[] called, @Nullable Translation translation, boolean thoughtless) {
      this(bytes, called, translation, thoughtless, null);
    }

    /**
     * What was left out; null if nothing was.
     *
     * @param before what was left out before the body was made
     */
    @Nullable String dropped(Set<String> before) {
      Dropped dropped = translation == null ? new Dropped() : translation.dropped();
      before.forEach(dropped::add);
      if (thoughtless) {
        dropped.add("reasoning");
      }
      return dropped.header();
    }
  }

  TargetBody first(Target target) {
    written = target.traits(call.endpoint());
    if (translates(target)) {
      return translated(target, turn, false);
    }
    byte[] body = unsealed(turn);
    body = route.isOnly() || !isForeign(target) ? body : stripped(body);
    return untranslated(target, body, isThoughtless(turn, body));
  }

  /** The body for another target, or for another attempt at the same. */
  TargetBody of(Target target) {
    TargetBody made = target == saidTo ? said : null;
    saidTo = null;
    said = null;
    if (made != null) {
      return made;
    }
    if (!translates(target)) {
      return called(target);
    }
    byte[] body = withoutReasoning.contains(target) ? stripped(turn) : turn;
    return translated(target, body, isThoughtless(turn, body));
  }

  /**
   * Whether a target that others come before can be told what is asked.
   *
   * @throws ApiException 503 if there is no room to find out
   */
  boolean canSay(Target target) {
    if (translates(target)) {
      try {
        TargetBody body = of(target);
        saidTo = target;
        said = body;
      } catch (ApiException e) {
        if (e.error().status() != CANNOT_BE_SAID) {
          throw e;
        }
        return false;
      }
    }
    return true;
  }

  private boolean translates(Target target) {
    return !target.provider().serves(call.endpoint());
  }

  /**
   * The body in the target's format.
   *
   * @throws ApiException 400 if that cannot say what is asked
   */
  private TargetBody translated(Target target, byte[] body, boolean thoughtless) {
    Endpoint endpoint = requireNonNull(target.provider().endpointFor(call.endpoint()));
    call.reservation().requireRequest(ValueCount.heapOf(body));
    try {
      Terms terms = target.terms(call.memory().threadId()).with(modelOf(target));
      Translation made =
          Translation.of(
              call.format().translator(),
              endpoint.format().translator(),
              body,
              this::received,
              terms
                  .withRefused(demands.of(target).efforts(), demands.of(target).unsampled())
                  .withMostOutput(demands.of(target).mostOutput()),
              call.alias(),
              () -> inputTokens(body),
              tokens::count);
      translation = made;
      byte[] written = made.body();
      if (demands.of(target).reasoning()) {
        written = endpoint.format().withBlankReasoning(written);
      }
      call.reservation().shrinkRequestTo(heldTranslated(body));
      if (call.format().beginsWithInput() && call.body().stream()) {
        made.countAhead();
      }
      hash = Arrays.hashCode(written);
      return new TargetBody(written, body, made, thoughtless);
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    }
  }

  /** The body as the caller sent it, with heap to parse it beside what is made of it. */
  private byte[] received() {
    byte[] bytes = call.body().bytes();
    call.reservation().requireRequest(ValueCount.heapOf(bytes));
    return bytes;
  }

  /** Counts the input; by its length where there is no heap to parse it once more. */
  private long inputTokens(byte[] body) {
    if (!call.reservation().awaitRequest(ValueCount.heapOf(body), Duration.ZERO)) {
      return body.length / Uncounted.BYTES_PER_TOKEN;
    }
    try {
      return new InputTokens(tokens).of(call.format(), JsonValue.parse(body));
    } catch (MalformedBodyException | MalformedJsonException e) {
      throw new IllegalStateException("what was translated cannot be read", e);
    } finally {
      call.reservation().shrinkRequestTo(heldTranslated(body));
    }
  }

  private long heldTranslated(byte[] body) {
    return Math.max(heldBytes, 2L * (call.body().length() + 2L * body.length));
  }

  private TargetBody called(Target target) {
    UpstreamModel model = target.ownModel();
    byte[] whole = call.format().prepare(parsed(), model);
    byte[] rest = unsealed(whole);
    rest = isForeign(target) || withoutReasoning.contains(target) ? stripped(rest) : rest;
    boolean thoughtless = isThoughtless(whole, rest);
    ProviderTraits refused = refused(model.traits());
    if (!refused.isEmpty()) {
      rest = inHeap(rest, body -> call.format().without(refused, body));
    }
    return untranslated(target, rest, thoughtless);
  }

  /**
   * A body in the called format, with a word on thoughts that are bound if they are known to be.
   */
  private TargetBody untranslated(Target target, byte[] body, boolean thoughtless) {
    thoughts.recall(target);
    byte[] sent = thoughts.areAsSent(target) ? inHeap(body, thoughts::withSent) : body;
    byte[] asking = thoughts.areLeftOut(target) ? ReasoningRemoval.ofBound(sent) : sent;
    String beta = asking == sent ? null : Refusals.BETA;
    UpstreamModel model = modelOf(target);
    if (call.isRemembered() && call.format().hasServersOfStrictRoles() && model.isStrict()) {
      asking = inHeap(asking, whole -> call.format().inRoles(whole, model));
    }
    if (call.isRemembered() && demands.of(target).reasoning()) {
      asking = inHeap(asking, call.format()::withBlankReasoning);
    }
    Long most = demands.of(target).mostOutput();
    if (most != null) {
      byte[] received = call.body().bytes();
      long limit = most;
      asking =
          inHeap(
              asking, whole -> OutputLimit.lowered(call.format(), received, whole, limit, target));
    }
    translation = null;
    hash = Arrays.hashCode(asking);
    return new TargetBody(asking, asking, null, thoughtless || isThoughtless(body, sent), beta);
  }

  /** Whether the body for a target is another one by these demands, which hold from now on then. */
  private boolean isOtherwise(Target target, Demands other) {
    int refused = hash;
    Demands sent = demands.of(target);
    demands.attempt(target, other);
    TargetBody anew = of(target);
    if (hash == refused) {
      demands.attempt(target, sent);
      return false;
    }
    saidTo = target;
    said = anew;
    return true;
  }

  /**
   * Writes the target's bodies from now on without what it refused, or otherwise.
   *
   * @return false if there is nothing of the kind left
   */
  boolean leaveOut(Target target, AttemptFailure refused) {
    return switch (refused.reason()) {
      case BOUND_THOUGHT -> thoughts.dropBound(target, turn) || removeReasoning(target);
      case FOREIGN_REASONING ->
          (demands.of(target).reasoning()
                  && isOtherwise(target, demands.of(target).withReasoning(false)))
              || (!translates(target)
                  && inHeap(turn, thoughts::withSent) != turn
                  && thoughts.dropAdded(target))
              || removeReasoning(target);
      case MISSING_REASONING -> isOtherwise(target, demands.of(target).withReasoning(true));
      case EFFORT ->
          demands.changeEffort(
              target, translation, requireNonNull(refused.answer()).member("message"));
      case SAMPLING -> unsample(target, requireNonNull(refused.answer()));
      case OUTPUT_LIMIT -> lowerOutput(target, requireNonNull(refused.answer()).member("message"));
      case ROLES -> tightenRoles(target);
      default -> false;
    };
  }

  /**
   * Leaves out what the target does not take of how tokens are chosen.
   *
   * @return false if it was told nothing of what it names
   */
  private boolean unsample(Target target, ErrorAnswer refusal) {
    String words = refusal.member("message") + " " + refusal.member("param");
    demands.noteNothingIf(
        target, words, List.of("thinking", "reasoning", "effort", "array too long"));
    return isOtherwise(target, demands.of(target).without(Sampling.namedIn(words)));
  }

  private UpstreamModel modelOf(Target target) {
    return target.ownModel().in(demands.of(target).roles());
  }

  /**
   * Takes the target's server for one that demands more of roles than those of the last body.
   *
   * @return false if the body is the same in all of them
   */
  private boolean tightenRoles(Target target) {
    Demands sent = demands.of(target);
    return target.provider().configuration().learnsRoles()
        && Stream.of(Roles.values())
            .filter(more -> more.compareTo(sent.roles()) > 0)
            .anyMatch(more -> isOtherwise(target, sent.with(more)));
  }

  /** Notes that a target has answered: what was tried of it is written so in later calls, too. */
  void answered(Target target) {
    demands.answered(target);
  }

  /** What the gateway has added to the call that this provider does not take. */
  private ProviderTraits refused(ProviderTraits taken) {
    ProviderTraits more = written.without(taken);
    boolean options = more.streamOptions() && !call.body().usageEdits().isEmpty();
    return call.isRemembered()
        ? new ProviderTraits(more.reasoning(), more.unsignedThinking(), options)
        : new ProviderTraits(Set.of(), false, options);
  }

  private boolean isForeign(Target target) {
    Target primary = route.first();
    return target != primary && !ModelVendor.of(target).equals(ModelVendor.of(primary));
  }

  /**
   * Removes reasoning from the target's bodies from now on, because the target refused it.
   *
   * @return false if it had none already
   */
  private boolean removeReasoning(Target target) {
    return withoutReasoning.add(target) && stripped(turn) != turn;
  }

  /**
   * Has the target asked for no more output than it has, where that is not the caller's own limit
   * in the caller's own format.
   *
   * @param words of its refusal
   * @return false if they do not tell how much that is, or it changes nothing
   */
  private boolean lowerOutput(Target target, String words) {
    long asked =
        translation != null
            ? translation.outputLimit()
            : inHeap(turn, body -> OutputLimit.made(call.format(), call.body().bytes(), body));
    long most = RefusedLimit.most(words, asked);
    return most > 0 && isOtherwise(target, demands.of(target).withMostOutput(most));
  }

  /** The body without reasoning that is sealed for another format. */
  private byte[] unsealed(byte[] body) {
    return Seal.mayHold(body)
        ? inHeap(body, whole -> ReasoningRemoval.ofSeals(whole, Seal::isSeal))
        : body;
  }

  private byte[] stripped(byte[] body) {
    if (!call.format().mayHoldReasoning(body)) {
      return body;
    }
    return inHeap(body, call.format()::withoutReasoning);
  }

  /** Whether reasoning that says anything was left out of the whole. */
  private boolean isThoughtless(byte[] whole, byte[] rest) {
    return rest != whole && inHeap(whole, call.format()::saysReasoning);
  }

  private <T> T inHeap(byte[] body, Function<byte[], T> reader) {
    call.reservation().requireRequest(ValueCount.heapOf(body));
    T read = reader.apply(body);
    call.reservation()
        .shrinkRequestTo(Math.max(heldBytes, 2L * (call.body().length() + body.length)));
    return read;
  }

  private RequestBody parsed() {
    RequestBody read = parsed;
    if (read == null) {
      try {
        read = RequestBody.parse(turn);
      } catch (MalformedBodyException e) {
        throw new IllegalStateException("what went to another target cannot be read", e);
      }
      parsed = read;
    }
    return read;
  }
}
