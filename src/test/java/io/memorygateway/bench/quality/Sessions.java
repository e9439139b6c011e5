package io.memorygateway.bench.quality;

import io.memorygateway.observation.text.TokenCounter;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a call of a new thread is told of the other threads of its resource: each session of a
 * conversation is a thread, and each question the first message of a new one.
 */
final class Sessions {
  private final Gateway gateway;
  private final RecordingUpstream upstream;
  private final TokenCounter counter;
  private final Measures measures = new Measures();
  private int questions;
  private int any;
  private int all;

  Sessions(Gateway gateway, RecordingUpstream upstream, TokenCounter counter) {
    this.gateway = gateway;
    this.upstream = upstream;
    this.counter = counter;
  }

  void measure(List<Conversation> conversations) throws Exception {
    Feeding.forAll(conversations, this::measure);
    System.out.printf(
        Locale.ROOT,
        "sessions as threads, %d questions in new threads: a session of the evidence quoted %.1f, all of them %.1f%n",
        questions,
        100.0 * any / questions,
        100.0 * all / questions);
    System.out.println(measures.row("  what is quoted"));
  }

  private void measure(Conversation conversation) throws Exception {
    String resource = gateway.unique(conversation.name() + "-sessions");
    String thread = null;
    int session = 0;
    for (List<Conversation.Utterance> said : Feeding.posts(conversation)) {
      if (thread == null || said.get(0).session() != session) {
        session = said.get(0).session();
        thread = gateway.createSession(resource, title(session));
      }
      gateway.post(thread, said);
    }
    long whole =
        conversation.utterances().stream().mapToLong(said -> counter.count(said.text())).sum();
    for (Conversation.Question question : conversation.questions()) {
      String asked = gateway.askAnew(resource, question.text());
      String context = upstream.context(Gateway.model(asked));
      gateway.delete(asked);
      add(conversation, question, context, whole);
    }
  }

  private synchronized void add(
      Conversation conversation, Conversation.Question question, String context, long whole) {
    measures.size((double) counter.count(context) / whole);
    measures.add(new Retained(conversation).add(context), question);
    Set<Integer> sessions = new HashSet<>();
    question.evidence().forEach(said -> sessions.add(said.session()));
    long quoted =
        sessions.stream().filter(each -> context.contains("“" + title(each) + "”")).count();
    questions++;
    any += quoted > 0 ? 1 : 0;
    all += quoted == sessions.size() ? 1 : 0;
  }

  private static String title(int session) {
    return "Session " + session;
  }
}
