package io.memorygateway.format.responses;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.AnswerWriter;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Called;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;

/** The side of OpenAI Responses in translations. */
public final class ResponsesTranslator implements Translator {
  private static final String HELD = "its provider holds nothing of this caller.";

  private static final List<Member> MEMBERS =
      List.of(
          Member.named("access_programs"),
          Member.refused("background", "it answers while the caller waits.", "false"),
          Member.named("background_options"),
          Member.named("context_management", "[]"),
          Member.refused("conversation", HELD),
          Member.named("image"),
          Member.mapped("include", "Logprobs as Chat's logprobs; reasoning always comes sealed"),
          Member.mapped("input", "The messages, see below"),
          Member.mapped("instructions", "The first system message"),
          Member.mapped("max_output_tokens", "The limit of the output; at least 1"),
          Member.named("max_tool_calls"),
          Member.shared("metadata", "{}"),
          Member.mapped("model", "The name of the target"),
          Member.shared("moderation"),
          Member.mapped("parallel_tool_calls", "The same by the other format's name"),
          Member.refused("previous_response_id", HELD),
          Member.named("prompt"),
          Member.shared("prompt_cache_key"),
          Member.shared("prompt_cache_options", "{}"),
          Member.shared("prompt_cache_retention"),
          Member.mapped("reasoning", "`effort` by the table; `summary` is silent, others named"),
          Member.shared("safety_identifier"),
          Member.shared("service_tier", "\"auto\""),
          Member.shared("store", "false"),
          Member.mapped("stream", "The same"),
          Member.silent("stream_options", "Only pads events"),
          Member.shared("temperature"),
          Member.mapped("text", "`format` is the output format; `verbosity` is carried"),
          Member.mapped("tool_choice", "The same; `allowed_tools` named, a hosted tool refused"),
          Member.mapped("tools", "See below"),
          Member.shared("top_logprobs", "0"),
          Member.shared("top_p"),
          Member.named("truncation", "\"disabled\""),
          Member.mapped("user", "The caller's name of its user"));

  private static final int MAX_ID = 64;

  @Override
  public Shape shape() {
    return Shape.RESPONSES;
  }

  @Override
  public String inputMember() {
    return "input";
  }

  /** Whether a file is not in Anthropic's format; none of the providers hears. */
  @Override
  public boolean takes(Part part) {
    return !(part instanceof Part.Other) && part.shape() != Shape.MESSAGES;
  }

  @Override
  public String nameOf(Topic topic) {
    return switch (topic) {
      case EFFORT -> "reasoning.effort";
      case OUTPUT_FORMAT -> "text.format";
      case STOP -> "";
      case TEMPERATURE -> "temperature";
      case CACHE_MARKS -> "input.prompt_cache_breakpoint";
      case PARALLEL_CALLS -> "parallel_tool_calls";
      case TOOL_CHOICE -> "tool_choice";
      case AUDIO -> "input.input_audio";
      case FILES -> "input.file_id";
      case USER -> "user";
    };
  }

  @Override
  public List<Member> members() {
    return MEMBERS;
  }

  @Override
  public Map<String, Long> addedTo(List<JsonValue> tools) {
    return ResponsesTools.addedTo(tools);
  }

  @Override
  public Request read(JsonValue root, Dropped dropped) throws MalformedBodyException {
    return new ResponsesCallReader(root, dropped).read(MEMBERS);
  }

  @Override
  public byte[] write(Request request, Terms terms, Translator called, Dropped dropped)
      throws MalformedBodyException {
    return new ResponsesCallWriter(request, terms, called, dropped).write(MEMBERS);
  }

  @Override
  public ToolIds ids() {
    return new ToolIds(MAX_ID, false);
  }

  @Override
  public Answer readAnswer(JsonValue answer, String maker, CallIds calls) {
    return ResponsesAnswerReader.read(answer, maker, calls);
  }

  @Override
  public byte[] writeAnswer(Answer answer, Called called) {
    return ResponsesAnswer.write(answer, called);
  }

  @Override
  public AnswerReader openReader(String maker, CallIds calls) {
    return new ResponsesEventReader(maker, calls);
  }

  @Override
  public AnswerWriter openWriter(Called called) {
    return new ResponsesEventWriter(called);
  }

  @Override
  public byte[] error(Fault fault) {
    return ResponsesFaults.body(fault);
  }
}
