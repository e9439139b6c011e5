package io.memorygateway.format.chat;

import io.memorygateway.format.call.ToolIds;
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
import java.util.Locale;

/** A format in which a call came that is written as one of Chat: only its words are asked for. */
record CalledFormat(Shape shape) implements Translator {
  @Override
  public String nameOf(Topic topic) {
    return "its_" + topic.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public String inputMember() {
    return shape == Shape.RESPONSES ? "input" : "messages";
  }

  @Override
  public List<Member> members() {
    return List.of();
  }

  @Override
  public Request read(JsonValue root, Dropped dropped) {
    throw new AssertionError();
  }

  @Override
  public byte[] write(Request request, Terms terms, Translator called, Dropped dropped) {
    throw new AssertionError();
  }

  @Override
  public ToolIds ids() {
    throw new AssertionError();
  }

  @Override
  public Answer readAnswer(JsonValue answer, String maker, CallIds calls) {
    throw new AssertionError();
  }

  @Override
  public byte[] writeAnswer(Answer answer, Called called) {
    throw new AssertionError();
  }

  @Override
  public AnswerReader openReader(String maker, CallIds calls) {
    throw new AssertionError();
  }

  @Override
  public AnswerWriter openWriter(Called called) {
    throw new AssertionError();
  }

  @Override
  public byte[] error(Fault fault) {
    throw new AssertionError();
  }
}
