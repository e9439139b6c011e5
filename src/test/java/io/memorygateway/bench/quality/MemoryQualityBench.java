package io.memorygateway.bench.quality;

import io.memorygateway.observation.text.TokenCounter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the memory that is made without a model retains of long conversations, beside simple ways to
 * fill a context of the same size, and what search finds. Started by {@code
 * ops/bench/memory-quality}, which says what it needs.
 *
 * <p>Environment: that of {@link Gateway}, and {@code BENCH_UPSTREAM_PORT}: where the gateway's
 * provider of chat completions is to be; {@code BENCH_EMBEDDING_URL}: set if it embeds messages.
 */
final class MemoryQualityBench {
  private static final int RECALL = 2_000;
  private static final String LAST = "What did we talk about?";
  private static final String CHATS = "chats=";

  private final Gateway gateway = new Gateway();
  private final TokenCounter counter = new TokenCounter();
  private final Baselines baselines = new Baselines(counter);
  private final List<Conversation> conversations;
  private final RecordingUpstream upstream;

  private MemoryQualityBench(List<Conversation> conversations, RecordingUpstream upstream) {
    this.conversations = conversations;
    this.upstream = upstream;
  }

  /** How a conversation gets into a thread. */
  private enum Way {
    POST,
    PROXY
  }

  /** What is measured. */
  private enum Part {
    SEARCH,
    POST,
    PROXY,
    RECALL,
    LOG,
    SESSIONS,
    REFLECTIONS
  }

  public static void main(String[] args) throws Exception {
    List<Conversation> conversations = Conversation.read(Path.of(args[0]));
    int port = Integer.parseInt(System.getenv("BENCH_UPSTREAM_PORT"));
    try (RecordingUpstream upstream = new RecordingUpstream(port)) {
      Set<Part> parts = EnumSet.noneOf(Part.class);
      List<Chat> chats = new ArrayList<>();
      for (String part : List.of(args).subList(1, args.length)) {
        if (part.startsWith(CHATS)) {
          chats.addAll(Chat.read(Path.of(part.substring(CHATS.length()))));
        } else {
          parts.add(Part.valueOf(part.toUpperCase(Locale.ROOT)));
        }
      }
      new MemoryQualityBench(conversations, upstream)
          .run(args.length == 1 ? EnumSet.allOf(Part.class) : parts, chats);
    }
  }

  private void run(Set<Part> parts, List<Chat> chats) throws Exception {
    Gateway.Thresholds usual = new Gateway.Thresholds(4_000, 6_000);
    if (parts.contains(Part.SEARCH)) {
      SearchQuality search = new SearchQuality(gateway);
      boolean embedded = System.getenv("BENCH_EMBEDDING_URL") != null;
      search.measure("LoCoMo", conversations, embedded);
      if (!chats.isEmpty()) {
        search.measure("chats", chats.stream().map(Chat::conversation).toList(), embedded);
      }
    }
    System.out.println(Measures.header());
    if (parts.contains(Part.POST)) {
      measure(Way.POST, new Gateway.Thresholds(8_000, 6_000));
      measure(Way.POST, usual);
      measure(Way.POST, new Gateway.Thresholds(2_000, 6_000));
    }
    if (parts.contains(Part.PROXY)) {
      measure(Way.PROXY, usual);
    }
    if (parts.contains(Part.RECALL)) {
      recall(new Gateway.Thresholds(1_000, 800));
    }
    if (parts.contains(Part.LOG)) {
      new WholeLogs(gateway, counter).measure(conversations);
    }
    if (!chats.isEmpty()) {
      new WholeLogs(gateway, counter).measureChats(chats);
    }
    if (parts.contains(Part.SESSIONS)) {
      new Sessions(gateway, upstream, counter).measure(conversations);
    }
    if (parts.contains(Part.REFLECTIONS)) {
      new Reflections(gateway, counter)
          .measure(Conversation.joined(conversations), new Gateway.Thresholds(4_000, 2_000));
    }
  }

  private void measure(Way way, Gateway.Thresholds thresholds) throws Exception {
    Map<Conversation, String> threads = feedAll(way, thresholds);
    Measures sent = new Measures();
    Measures log = new Measures();
    Measures last = new Measures();
    Measures random = new Measures();
    Measures best = new Measures();
    for (Conversation conversation : conversations) {
      String thread = threads.get(conversation);
      gateway.ask(thread, LAST);
      String context = upstream.context(Gateway.model(thread));
      String observations = gateway.observations(thread);
      long whole = tokens(conversation);
      long size = counter.count(context);
      Retained retained = new Retained(conversation).add(context);
      Retained ofLog = new Retained(conversation).add(observations);
      sent.size((double) size / whole);
      log.size((double) counter.count(observations) / whole);
      for (Measures baseline : List.of(last, random, best)) {
        baseline.size((double) size / whole);
      }
      Retained newest = baselines.last(conversation, size);
      Retained drawn = baselines.random(conversation, size);
      for (Conversation.Question question : conversation.questions()) {
        sent.add(retained, question);
        log.add(ofLog, question);
        last.add(newest, question);
        random.add(drawn, question);
        best.add(baselines.best(conversation, question, size), question);
      }
    }
    String name = thresholds + ", " + way.name().toLowerCase(Locale.ROOT);
    System.out.println(sent.row("gateway " + name));
    System.out.println(log.row("  its observations alone"));
    System.out.println(last.row("  last messages"));
    System.out.println(random.row("  random sentences"));
    System.out.println(best.row("  BM25 by the question"));
  }

  /** Each question is the last message of a call of its own. */
  private void recall(Gateway.Thresholds thresholds) throws Exception {
    Measures with = new Measures();
    Measures without = new Measures();
    Map<Conversation, String> threads = feedAll(Way.POST, thresholds);
    Feeding.forAll(
        conversations,
        conversation -> recall(conversation, threads.get(conversation), with, without));
    System.out.println(without.row("gateway " + thresholds + ", one call"));
    System.out.println(with.row("  each question asked as the last message"));
  }

  private void recall(Conversation conversation, String thread, Measures with, Measures without)
      throws Exception {
    long whole = tokens(conversation);
    for (Conversation.Question question : conversation.questions()) {
      String copy = gateway.copy(thread);
      gateway.setRecall(copy, RECALL);
      gateway.ask(copy, question.text());
      String context = upstream.context(Gateway.model(copy));
      Retained retained = new Retained(conversation).add(context);
      synchronized (with) {
        with.size((double) counter.count(context) / whole);
        with.add(retained, question);
      }
      gateway.delete(copy);
    }
    String copy = gateway.copy(thread);
    gateway.setRecall(copy, 0);
    gateway.ask(copy, LAST);
    String context = upstream.context(Gateway.model(copy));
    Retained plain = new Retained(conversation).add(context);
    synchronized (without) {
      without.size((double) counter.count(context) / whole);
      conversation.questions().forEach(question -> without.add(plain, question));
    }
  }

  private Map<Conversation, String> feedAll(Way way, Gateway.Thresholds thresholds)
      throws Exception {
    Map<Conversation, String> threads = new ConcurrentHashMap<>();
    Feeding.forAll(
        conversations,
        conversation -> threads.put(conversation, feed(conversation, way, thresholds)));
    gateway.awaitObservers();
    return threads;
  }

  private String feed(Conversation conversation, Way way, Gateway.Thresholds thresholds)
      throws Exception {
    String thread = gateway.create(conversation.name() + "-" + way, thresholds);
    int session = 1;
    for (List<Conversation.Utterance> said : Feeding.posts(conversation)) {
      if (said.get(0).session() != session) {
        gateway.awaitObserver(thread);
        session = said.get(0).session();
      }
      if (way == Way.POST) {
        gateway.post(thread, said);
      } else {
        talk(thread, said);
      }
    }
    gateway.awaitObserver(thread);
    return thread;
  }

  /** Each message of the first speaker is a call; what the second says next is its answer. */
  private void talk(String thread, List<Conversation.Utterance> said) throws Exception {
    int i = 0;
    while (i < said.size()) {
      List<String> asked = new ArrayList<>();
      while (i < said.size() && said.get(i).role().equals("user")) {
        asked.add(said.get(i++).text());
      }
      List<String> answered = new ArrayList<>();
      while (i < said.size() && said.get(i).role().equals("assistant")) {
        answered.add(said.get(i++).text());
      }
      upstream.answer(
          Gateway.model(thread), answered.isEmpty() ? "Yes." : String.join("\n", answered));
      gateway.ask(thread, asked.isEmpty() ? "Hello." : String.join("\n", asked));
    }
  }

  private long tokens(Conversation conversation) {
    return conversation.utterances().stream().mapToLong(said -> counter.count(said.text())).sum();
  }
}
