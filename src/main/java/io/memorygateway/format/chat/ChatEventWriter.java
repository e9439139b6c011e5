package io.memorygateway.format.chat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonWriter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes an answer as chunks of Chat Completions: the role first, then what comes as it comes, the
 * finish, the usage and {@code [DONE]}. Calls may interleave in this format, so nothing is held.
 */
final class ChatEventWriter implements AnswerWriter {
  private static final String END_OF_CHUNK = ",\"finish_reason\":null}],\"usage\":null}\n\n";
  private static final String END_OF_DELTA = "},\"logprobs\":null" + END_OF_CHUNK;

  private enum Phase {
    NEW,
    OPEN,
    FINISHED,
    ENDED
  }

  private final Called called;
  private final boolean functions;
  private Phase phase = Phase.NEW;

  /** The beginning of each chunk, up to its choices. */
  private byte[] head = {};

  /** What was said, to be counted if the target does not say its usage. */
  private final StringBuilder said = new StringBuilder();

  private final Map<Integer, StreamedCall> calls = new HashMap<>();
  private final Map<Integer, Long> texts = new HashMap<>();
  private long text;
  private int begun;
  private int details;
  private int annotations;

  /** A call; its index is negative if it is in the form before tools. */
  private static final class StreamedCall {
    private final int index;
    private boolean empty = true;

    StreamedCall(int index) {
      this.index = index;
    }
  }

  ChatEventWriter(Called called) {
    this.called = called;
    this.functions = ChatCallReader.isOfFunctions(called.root());
  }

  @Override
  public void write(AnswerEvent event, JsonWriter out) {
    if (phase == Phase.ENDED) {
      return;
    }
    if (event instanceof AnswerEvent.Fail fail) {
      out.ascii("data: ").raw(ChatErrors.json(fail.fault())).ascii("\n\n");
      phase = Phase.ENDED;
    } else if (event instanceof AnswerEvent.Start start) {
      start(start, out);
    } else if (event instanceof AnswerEvent.Finish finish) {
      finish(finish.stop(), finish.usage(), out);
    } else if (event instanceof AnswerEvent.End) {
      finish(Stop.END, Usage.NONE, out);
      out.ascii("data: [DONE]\n\n");
      phase = Phase.ENDED;
    } else if (phase != Phase.FINISHED) {
      start(new AnswerEvent.Start("", "", 0, Usage.NONE), out);
      content(event, out);
    }
  }

  private void start(AnswerEvent.Start start, JsonWriter out) {
    if (phase != Phase.NEW) {
      return;
    }
    phase = Phase.OPEN;
    String members =
        ChatAnswerWriter.head(
            "chat.completion.chunk", start.id(), start.created(), start.model(), called);
    head =
        ("data: " + members.substring(0, members.length() - 1) + ",\"choices\":[").getBytes(UTF_8);
    delta(out, "\"role\":\"assistant\",\"content\":\"\"").ascii(END_OF_DELTA);
  }

  /** Begins a chunk with the first characters of its delta. */
  private JsonWriter delta(JsonWriter out, String begin) {
    return out.raw(head).ascii("{\"index\":0,\"delta\":{").ascii(begin);
  }

  private void content(AnswerEvent event, JsonWriter out) {
    if (event instanceof AnswerEvent.Text more) {
      if (!texts.containsKey(more.piece())) {
        texts.put(more.piece(), text);
      }
      text += more.delta().length();
      words("\"content\":", more.delta(), more.logprobs(), out);
    } else if (event instanceof AnswerEvent.Thought more) {
      words("\"reasoning_content\":", more.delta(), "", out);
    } else if (event instanceof AnswerEvent.Refusal more) {
      words("\"refusal\":", more.delta(), "", out);
    } else if (event instanceof AnswerEvent.Sealed sealed) {
      delta(out, "\"reasoning_details\":[")
          .raw(ChatReasoning.detail(sealed.seal(), details++))
          .ascii("]")
          .ascii(END_OF_DELTA);
    } else if (event instanceof AnswerEvent.Cited cited) {
      long start = texts.getOrDefault(cited.piece(), text);
      cited(ChatAnswerWriter.annotation(cited.citation(), start, text - start), out);
    } else if (event instanceof AnswerEvent.Call call) {
      call(call, out);
    } else if (event instanceof AnswerEvent.Arguments more) {
      StreamedCall call = calls.get(more.piece());
      if (call != null && !more.delta().isEmpty()) {
        arguments(call, more.delta(), out);
      }
    } else if (event instanceof AnswerEvent.Close close) {
      complete(calls.remove(close.piece()), out);
    }
  }

  private void words(String member, String words, String logprobs, JsonWriter out) {
    if (!words.isEmpty()) {
      said.append(words);
      delta(out, member).string(words);
      if (logprobs.isEmpty()) {
        out.ascii(END_OF_DELTA);
      } else {
        out.ascii("},\"logprobs\":").raw(ChatAnswerWriter.logprobs(logprobs)).ascii(END_OF_CHUNK);
      }
    }
  }

  /** A citation, with the index by which SDKs put lists together. */
  private void cited(@Nullable String annotation, JsonWriter out) {
    if (annotation != null) {
      delta(out, "\"annotations\":[{\"index\":")
          .number(annotations++)
          .ascii(",")
          .raw(annotation.substring(1))
          .ascii("]")
          .ascii(END_OF_DELTA);
    }
  }

  private void call(AnswerEvent.Call call, JsonWriter out) {
    String name = called.names().called(call.name());
    boolean function = functions && begun == 0;
    StreamedCall streamed = new StreamedCall(functions ? begun - 1 : begun);
    begun++;
    complete(calls.put(call.piece(), streamed), out);
    said.append(name);
    if (function) {
      delta(out, "\"function_call\":{\"name\":").string(name).ascii(",\"arguments\":\"\"}");
    } else {
      delta(out, "\"tool_calls\":[{\"index\":")
          .number(streamed.index)
          .ascii(",\"id\":")
          .string(call.id())
          .ascii(",\"type\":\"function\",\"function\":{\"name\":")
          .string(name)
          .ascii(",\"arguments\":\"\"}}]");
    }
    out.ascii(END_OF_DELTA);
  }

  private void arguments(StreamedCall call, String arguments, JsonWriter out) {
    call.empty = false;
    said.append(arguments);
    if (call.index < 0) {
      delta(out, "\"function_call\":{\"arguments\":").string(arguments).ascii("}");
    } else {
      delta(out, "\"tool_calls\":[{\"index\":")
          .number(call.index)
          .ascii(",\"function\":{\"arguments\":")
          .string(arguments)
          .ascii("}}]");
    }
    out.ascii(END_OF_DELTA);
  }

  /** Ends a call; one without arguments has an object of none. */
  private void complete(@Nullable StreamedCall call, JsonWriter out) {
    if (call != null && call.empty) {
      arguments(call, "{}", out);
    }
  }

  private void finish(Stop stop, Usage usage, JsonWriter out) {
    if (phase == Phase.FINISHED) {
      return;
    }
    start(new AnswerEvent.Start("", "", 0, Usage.NONE), out);
    if (stop != Stop.LENGTH) {
      calls.values().forEach(call -> complete(call, out));
    }
    out.raw(head)
        .ascii("{\"index\":0,\"delta\":{},\"logprobs\":null,\"finish_reason\":\"")
        .ascii(ChatUsage.finishReason(stop, begun > 0, functions && begun > 0))
        .ascii("\"}],\"usage\":null}\n\n");
    out.raw(head)
        .ascii("],\"usage\":")
        .ascii(ChatUsage.write(ChatAnswerWriter.usage(usage, said, called)))
        .ascii("}\n\n");
    phase = Phase.FINISHED;
  }
}
