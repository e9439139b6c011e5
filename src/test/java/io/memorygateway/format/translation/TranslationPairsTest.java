package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.Calls;
import io.memorygateway.format.StrictProvider;
import io.memorygateway.format.chat.ChatTranslator;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.messages.MessagesTranslator;
import io.memorygateway.format.responses.ResponsesTranslator;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §14: a call of each format at a target of each other one says the same there. */
class TranslationPairsTest {
  private static final int TALKS = 200;
  private static final Pattern WORD = Pattern.compile("t\\d+~|Error:");

  static final List<Translator> ALL =
      List.of(new ChatTranslator(), new MessagesTranslator(), new ResponsesTranslator());

  static Stream<Arguments> pairs() {
    return ALL.stream()
        .flatMap(called -> ALL.stream().map(target -> Arguments.of(called, target)))
        .filter(pair -> pair.get()[0] != pair.get()[1]);
  }

  static Translation translation(Translator called, Translator target, String body, String model)
      throws Exception {
    return translation(called, target, body, model, "maker");
  }

  static Translation translation(
      Translator called, Translator target, String body, String model, String maker)
      throws Exception {
    Terms terms = new Terms(Calls.model(model), maker, 100_000, "max_tokens", false, "key");
    return Translation.of(
        called,
        target,
        body.getBytes(UTF_8),
        () -> body.getBytes(UTF_8),
        terms,
        null,
        () -> 7,
        String::length);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void whatIsSaidIsTakenByAStrictTargetAndIsTheSame(Translator called, Translator target)
      throws Exception {
    Random random = new Random(44);
    for (int i = 0; i < TALKS; i++) {
      GeneratedTalk talk = new GeneratedTalk(random);
      String body = talk.body(called.shape(), talk.said, false).put("max_tokens", 999).toString();
      String written = new String(translation(called, target, body, "m").body(), UTF_8);

      assertThat(StrictProvider.faults(path(target), written)).as(body + "\n" + written).isEmpty();
      Request read = target.read(JsonValue.of(written), new Dropped());
      assertThat(words(read)).as(body + "\n" + written).isEqualTo(talk.words(called.shape()));
      assertThat(media(read)).as(body + "\n" + written).isEqualTo(talk.media(called.shape()));
      assertThat(read.tools()).hasSize(6);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "MESSAGES | 'messages':[],'max_tokens':0 | 'max_tokens':1,",
        "MESSAGES | 'messages':[],'tools':[{'type':'function','function':{'name':'f'},'cache_control':{'type':'ephemeral'}}] | 'cache_control':{'type':'ephemeral'}}]",
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'file','file':{'filename':'a.json','file_data':'data:application/json;base64,e30='}}]}] | 'media_type':'text/plain','data':'{}'}",
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'file','file':{'filename':'a.bin','file_data':'data:application/zip;base64,/w=='}}]}] | 'media_type':'application/zip','data':'/w=='}",
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'image_url','image_url':{'url':'data:image/jpg;base64,AAAA'}}]}] | 'media_type':'image/jpeg'",
        "RESPONSES | 'messages':[] | 'input':[{'role':'user','content':'(continued)'}]",
      })
  void aCallOfChatIsWrittenAsTheTargetTakesIt(Shape target, String call, String written)
      throws Exception {
    String body = "{" + call.replace('\'', '"') + "}";

    assertThat(new String(translation(of(Shape.CHAT), of(target), body, "m").body(), UTF_8))
        .contains(written.replace('\'', '"'));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aCallThatSaysNothingGoesOn(Translator called, Translator target) throws Exception {
    String call =
        called.shape() == Shape.RESPONSES
            ? "{\"input\":\" \"}"
            : "{\"messages\":[{\"role\":\"user\",\"content\":\" \"}]}";

    assertThat(new String(translation(called, target, call, "m").body(), UTF_8))
        .contains("[{\"role\":\"user\",\"content\":\"(continued)\"}]");
  }

  /** Messages takes no call without messages, and none that begins with the model. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'role':'user','content':' '}]",
        "[{'role':'user','content':' '},{'role':'assistant','content':'a'}]",
        "[{'role':'assistant','content':'a'}]",
        "[]",
      })
  void aCallOfBlanksIsTakenByMessages(String messages) throws Exception {
    String call = "{\"messages\":" + messages.replace('\'', '"') + "}";
    String written =
        new String(translation(of(Shape.CHAT), of(Shape.MESSAGES), call, "m").body(), UTF_8);

    assertThat(StrictProvider.faults(path(of(Shape.MESSAGES)), written)).as(written).isEmpty();
    assertThat(written).contains("{\"role\":\"user\",\"content\":\"(continued)\"}");
  }

  /** What no target takes, natively none either, is not left out in silence. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'tool_result','tool_use_id':'zz','content':'LOST'},{'type':'text','text':'hi'}]}] | messages.tool_result",
        "MESSAGES | 'messages':[{'role':'user','content':'q'},{'role':'assistant','content':[{'type':'tool_use','id':'c','name':'f','input':{}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'one'},{'type':'tool_result','tool_use_id':'c','content':'LOST'}]}] | messages.tool_result",
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'image','source':{}},{'type':'text','text':'hi'}]}] | messages.image",
        "MESSAGES | 'messages':[{'role':'user','content':[{'type':'image','source':{'type':'base64','media_type':'image/png','data':''}},{'type':'text','text':'hi'}]}] | messages.image",
        "CHAT | 'messages':[{'role':'user','content':'hi'},{'role':'tool','tool_call_id':'zz','content':'LOST'}] | messages.tool",
        "CHAT | 'messages':[{'role':'user','content':[{'type':'image_url','image_url':null},{'type':'text','text':'hi'}]}] | messages.image_url",
        "CHAT | 'messages':[{'role':'user','content':[{'type':'image_url','image_url':{'url':''}},{'type':'text','text':'hi'}]}] | messages.image_url",
        "CHAT | 'messages':[{'role':'user','content':[{'type':'file','file':{}},{'type':'text','text':'hi'}]}] | messages.file",
        "RESPONSES | 'input':[{'type':'function_call_output','call_id':'zz','output':'LOST'},{'role':'user','content':'hi'}] | input.function_call_output",
        "RESPONSES | 'input':[{'type':'custom_tool_call_output','call_id':'zz','output':'LOST'},{'role':'user','content':'hi'}] | input.custom_tool_call_output",
        "RESPONSES | 'input':[{'role':'user','content':[{'type':'input_image'},{'type':'input_text','text':'hi'}]}] | input.input_image",
        "RESPONSES | 'input':[{'role':'user','content':[{'type':'input_image','image_url':''},{'type':'input_text','text':'hi'}]}] | input.input_image",
      })
  void resultsWithoutACallAndMediaWithoutASourceAreNamed(Shape called, String call, String name)
      throws Exception {
    String body = "{" + call.replace('\'', '"') + "}";
    for (Translator target : ALL) {
      if (target.shape() != called) {
        Translation translation = translation(of(called), target, body, "m");

        String written = new String(translation.body(), UTF_8);
        assertThat(written).doesNotContain("LOST");
        assertThat(translation.dropped().names()).as(written).contains(name);
      }
    }
  }

  @Test
  void strictIsAskedOfASchemaThatIsClosedAsItIsWritten() throws Exception {
    String call =
        "{'messages':[],'tools':[{'type':'function','function':{'name':'f','parameters':{},'strict':true}}]}";
    Translation translation =
        translation(of(Shape.CHAT), of(Shape.RESPONSES), call.replace('\'', '"'), "m");

    assertThat(new String(translation.body(), UTF_8)).contains("\"strict\":false");
    assertThat(translation.dropped().header()).isEqualTo("tools.strict");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20_000})
  void toolsAmongTheItemsAreKnownToTheAnswerOfACallOfAnyLength(int length) throws Exception {
    String call =
        "{'input':[{'type':'additional_tools','tools':[{'type':'custom','name':'patch'}]},{'role':'user','content':'"
            + "a".repeat(length)
            + "'}]}";
    String answer =
        "{'choices':[{'message':{'tool_calls':[{'id':'c','function':{'name':'patch','arguments':{'input':'x'}}}]}}]}";
    Translation translation =
        translation(of(Shape.RESPONSES), of(Shape.CHAT), call.replace('\'', '"'), "m");

    Answer read = translation.read(answer.replace('\'', '"').getBytes(UTF_8));
    assertThat(new String(translation.answer(read), UTF_8))
        .contains("\"type\":\"custom_tool_call\"", "\"input\":\"x\",\"name\":\"patch\"");
  }

  @Test
  void aCallWithoutArgumentsHasAnObject() throws Exception {
    String answer = "{'output':[{'type':'function_call','call_id':'c','name':'f','arguments':''}]}";
    byte[] told =
        TranslatedStreams.answered(
            translation(of(Shape.CHAT), of(Shape.RESPONSES), "{\"messages\":[]}", "m"),
            answer.replace('\'', '"').getBytes(UTF_8));

    assertThat(new String(told, UTF_8)).contains("\"arguments\":\"{}\"");
  }

  private static Translator of(Shape shape) {
    return ALL.stream().filter(each -> each.shape() == shape).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aLongerConversationBeginsWithTheBytesOfAShorterOne(Translator called, Translator target)
      throws Exception {
    Random random = new Random(45);
    for (int i = 0; i < TALKS / 4; i++) {
      GeneratedTalk talk = new GeneratedTalk(random);
      String longer = prompt(called, target, talk, talk.said.size());
      for (int end = 1; end < talk.said.size(); end++) {
        if (talk.said.get(end).role().equals("assistant")) {
          String shorter = prompt(called, target, talk, end);
          assertThat(longer).startsWith(shorter.substring(0, shorter.length() - 1));
        }
      }
    }
  }

  private static String prompt(Translator called, Translator target, GeneratedTalk talk, int end)
      throws Exception {
    ObjectNode body = talk.body(called.shape(), talk.until(end), true);
    // Only so many marks are taken; the latest are those that count.
    String model = target.shape() == Shape.MESSAGES ? "m" : "gpt-5.6";
    String written =
        new String(translation(called, target, body.toString(), model).body(), UTF_8)
            .replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    assertThat(
            StrictProvider.faults(
                path(target),
                written.replaceAll(",\"prompt_cache_breakpoint\":\\{\"mode\":\"explicit\"\\}", "")))
        .as(written)
        .isEmpty();
    JsonValue root = JsonValue.of(written);
    JsonValue system = root.get("system");
    JsonValue list = root.get(target.shape() == Shape.RESPONSES ? "input" : "messages");
    return (system == null ? "" : system.raw()) + list.raw();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void whatIsAskedIsAskedOfTheTarget(Translator called, Translator target) throws Exception {
    Random random = new Random(46);
    for (int i = 0; i < TALKS; i++) {
      GeneratedTalk talk = new GeneratedTalk(random);
      ObjectNode body = talk.body(called.shape(), talk.said, false);
      GeneratedAsk.add(body, called.shape(), random);
      Translation translation = translation(called, target, body.toString(), "m");
      String written = new String(translation.body(), UTF_8);

      assertThat(StrictProvider.faults(path(target), written)).as(written).isEmpty();
      assertThat(GeneratedAsk.of(target.read(JsonValue.of(written), new Dropped()), target.shape()))
          .as(body + "\n" + written + "\n" + translation.dropped().header())
          .isEqualTo(
              GeneratedAsk.of(
                  called.read(JsonValue.of(body.toString()), new Dropped()), target.shape()));
    }
  }

  static String path(Translator target) {
    return switch (target.shape()) {
      case CHAT -> "/v1/chat/completions";
      case MESSAGES -> "/v1/messages";
      default -> "/v1/responses";
    };
  }

  private static List<String> words(Request request) {
    List<String> words = new ArrayList<>();
    Map<String, String> open = new HashMap<>();
    for (Utterance message : request.messages()) {
      for (Part part : message.parts()) {
        if (part instanceof Part.ToolCall call) {
          assertThat(open.put(call.id(), call.arguments())).as(call.id()).isNull();
          String input = JsonValue.of(call.arguments()).text("input");
          words.add(
              "call " + called(call.name()) + " " + (input.isEmpty() ? call.arguments() : input));
        } else if (part instanceof Part.ToolResult result) {
          assertThat(open).containsKey(result.id());
          List<String> said = marks(Part.textOf(result.content()));
          boolean failed = result.error() || said.remove("Error:");
          words.add("result" + (failed ? " failed" : ""));
          words.addAll(said);
        } else if (part instanceof Part.Text text) {
          words.addAll(marks(text.text()));
        }
      }
    }
    return words;
  }

  private static String called(String name) {
    return name.startsWith("srv_") ? "srv.naïve/" + "x".repeat(70) : name;
  }

  private static List<String> marks(String text) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      words.add(word.group());
    }
    return words;
  }

  private static List<String> media(Request request) {
    List<String> media = new ArrayList<>();
    request.messages().forEach(message -> media(message.parts(), media));
    return media;
  }

  private static void media(List<Part> parts, List<String> media) {
    for (Part part : parts) {
      if (part instanceof Part.ToolResult result) {
        media(result.content(), media);
      } else if (part instanceof Part.Image || part instanceof Part.File) {
        Matcher name =
            Pattern.compile("(?<=base64,|/|\"data\":\")i\\d+").matcher(part.source().raw());
        assertThat(name.find()).as(part.source().raw()).isTrue();
        media.add(name.group());
      }
    }
  }
}
