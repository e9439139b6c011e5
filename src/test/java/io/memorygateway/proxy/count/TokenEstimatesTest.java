package io.memorygateway.proxy.count;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Calls;
import io.memorygateway.format.translation.Answer;
import io.memorygateway.format.translation.Piece;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.route.Endpoint;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted where the upstream does not, and what that may take. */
class TokenEstimatesTest {
  private final TokenEstimates estimates = new TokenEstimates();
  private final List<Figures> done = new CopyOnWriteArrayList<>();

  @Test
  void bodiesWaitUntilTheyAreCounted() throws Exception {
    estimates.count(
        asked("{\"messages\":[{\"role\":\"user\",\"content\":\"one two three\"}]}"), done::add);
    assertThat(done).isEmpty();

    estimates.start();
    await().until(() -> done.size() == 1);
    estimates.stop();

    assertThat(done.get(0).get(Figure.INPUT_TOKENS))
        .isEqualTo(new TokenCounter().count("one two three"));
    assertThat(done.get(0).get(Figure.OUTPUT_TOKENS)).isEqualTo(Figures.UNKNOWN);
  }

  @Test
  void whatDoesNotFitIsTakenByItsLengthAtOnce() {
    Uncounted large = asked("x".repeat(24 << 20));
    estimates.count(large, done::add);
    estimates.count(large, done::add);
    assertThat(done).isEmpty();

    estimates.count(large, done::add);

    assertThat(done).hasSize(1);
    assertThat(done.get(0).get(Figure.INPUT_TOKENS)).isEqualTo((24 << 20) / 4);
  }

  @Test
  void thereIsABoundOnTheirNumber() {
    for (int i = 0; i < 10_001; i++) {
      estimates.count(asked("12345678"), done::add);
    }

    assertThat(done).hasSize(1);
    assertThat(done.get(0).get(Figure.INPUT_TOKENS)).isEqualTo(2);
  }

  @Test
  void whatIsLeftWhenTheNodeStopsIsNotLost() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      estimates.count(asked("{}"), done::add);
    }
    estimates.start();
    estimates.stop();

    assertThat(done).hasSize(1_000);
  }

  @Test
  void aBodyThatCannotBeReadIsTakenByItsLength() {
    assertThat(asked("{\"messages\":12345}").count(new TokenCounter()).get(Figure.INPUT_TOKENS))
        .isEqualTo(18 / 4);
  }

  @ParameterizedTest
  @CsvSource({
    "https://a/b.png, 1600",
    "'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAgAAAAIA', 255",
  })
  void anImageIsCountedByItsSize(String url, long tokens) {
    String image =
        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"%s\"}}]}]}";

    assertThat(asked(image.formatted(url)).count(new TokenCounter()).get(Figure.INPUT_TOKENS))
        .isEqualTo(tokens);
  }

  @Test
  void everyChoiceOfAnAnswerIsCounted() {
    String whole = "{\"choices\":[%s,%s]}";
    String chat = "{\"index\":%d,\"message\":{\"content\":\"one two three\"}}";
    String text = "{\"index\":%d,\"text\":\"one two three\"}";
    String chunk = "{\"index\":%d,\"delta\":{\"content\":\"one two three\"}}";
    String stream = "data: {\"choices\":[%s]}\n\n";
    long twice = 2L * new TokenCounter().count("one two three");

    assertThat(output(Endpoint.CHAT, whole.formatted(chat.formatted(0), chat.formatted(1)), false))
        .isEqualTo(twice);
    assertThat(
            output(
                Endpoint.COMPLETIONS, whole.formatted(text.formatted(0), text.formatted(1)), false))
        .isEqualTo(twice);
    assertThat(
            output(
                Endpoint.CHAT,
                stream.formatted(chunk.formatted(0)) + stream.formatted(chunk.formatted(1)),
                true))
        .isEqualTo(twice);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "CHAT|{\"choices\":[{\"message\":{\"content\":\"one two three\"},\"logprobs\":[NaN]}]}",
        "COMPLETIONS|{\"choices\":[{\"text\":\"one two three\",\"logprobs\":[NaN]}]}",
        "MESSAGES|{\"content\":[{\"type\":\"text\",\"text\":\"one two three\"}],\"x\":-Infinity}",
      })
  void anAnswerWithNumbersThatAreNoneIsCounted(Endpoint endpoint, String answer) {
    assertThat(output(endpoint, answer, false))
        .isEqualTo(new TokenCounter().count("one two three"));
  }

  /** Of an answer that was taken from its target, whatever its caller gets. */
  @Test
  void thoughtsAndCallsAreCounted() {
    AnswerSample sample = new AnswerSample(Endpoint.CHAT.format());
    sample.taken(
        new Answer(
            "",
            "",
            0,
            List.of(new Piece.Thought("one two", null), new Piece.Call("c", "three", "{\"a\":4}")),
            Stop.NONE,
            null,
            Usage.NONE));

    Uncounted counted = sample.uncounted(Endpoint.CHAT, null, Figures.NONE, true, true);

    TokenCounter counter = new TokenCounter();
    assertThat(requireNonNull(counted).count(counter).get(Figure.OUTPUT_TOKENS))
        .isEqualTo(counter.count("one two") + counter.count("three") + counter.count("{\"a\":4}"));
  }

  @Test
  void anImageOfLowDetailCountsAsOne() {
    String body =
        """
        {"messages":[{"role":"user","content":[{"type":"image_url",\
        "image_url":{"url":"https://x/a.png"%s}}]}]}\
        """;
    assertThat(input(body.formatted(",\"detail\":\"low\""))).isEqualTo(85);
    assertThat(input(body.formatted(""))).isEqualTo(ImageTokens.UNKNOWN);
    byte[] low = body.formatted(",\"detail\":\"low\"").getBytes(UTF_8);
    assertThat(read(Endpoint.CHAT, low, false, new TokenCounter()))
        .isEqualTo(new Uncounted.Input(ImageTokens.UNKNOWN, ImageTokens.UNKNOWN, true));
  }

  /** Providers read them to the model, each in its own way. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CHAT        | {'messages':[%m],'response_format':{'json_schema':{'description':'%w'}}}",
        "CHAT        | {'messages':[%m],'functions':[{'name':'f','description':'%w'}]}",
        "CHAT        | {'messages':[%m],'input':'%w'}",
        "CHAT        |"
            + " {'messages':[%m,{'role':'assistant','content':'x','reasoning_content':'%w'},%m]}",
        "RESPONSES   | {'input':'hello','text':{'format':{'schema':{'description':'%w'}}}}",
        "RESPONSES   | {'input':[%m,{'role':'assistant','content':'x','reasoning':'%w'}]}",
        "MESSAGES    | {'messages':[%m],'output_format':{'schema':{'description':'%w'}}}",
        "MESSAGES    |"
            + " {'messages':[%m],'output_config':{'format':{'schema':{'description':'%w'}}}}",
        "EMBEDDINGS  | {'input':[{'text':'%w'}]}",
        "EMBEDDINGS  | {'input':{'content':[{'type':'text','text':'%w'}]}}",
        "EMBEDDINGS  | {'messages':[{'role':'user','content':'%w'}]}",
        "COMPLETIONS | {'prompt':'a','suffix':'%w'}",
      })
  void whatStandsBesideTheMessagesIsInputToo(Endpoint endpoint, String body) {
    Uncounted.Input input =
        read(
            endpoint,
            body.replace("%m", "{'role':'user','content':'hello'}")
                .replace("%w", "word ".repeat(1000).strip()));

    assertThat(input.tokens()).isBetween(1000L, 1100L);
    assertThat(input.hasUnseen()).as("whether it says little of how texts are counted").isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CHAT       |"
            + " {'messages':[%m],'model':'a','user':'u','stop':['a'],'metadata':{'a':'b'},'temperature':0.5}",
        "MESSAGES   |"
            + " {'messages':[%m],'thinking':{'type':'adaptive'},'metadata':{'user_id':'u'},'tool_choice':{'type':'any'}}",
        "RESPONSES  | {'input':[%m],'reasoning':{'effort':'low'},'include':['a'],'store':false}",
        "EMBEDDINGS | {'input':['%w'],'encoding_format':'float','dimensions':5}"
      })
  void settingsAreNoInput(Endpoint endpoint, String body) {
    String text = "word ".repeat(1000).strip();
    assertThat(
            read(
                endpoint, body.replace("%m", "{'role':'user','content':'%w'}").replace("%w", text)))
        .isEqualTo(new Uncounted.Input(new TokenCounter().count(text), 0, false));
    assertThat(read(Endpoint.EMBEDDINGS, "{'input':[{'image':'%s'}]}".formatted("A".repeat(9999))))
        .isEqualTo(
            new Uncounted.Input(
                TokenCounter.ATTACHMENT_TOKENS, TokenCounter.ATTACHMENT_TOKENS, true));
  }

  /** Else it might be settled at more than it has held. */
  @Test
  void aCallOfAMillionValuesIsTakenByItsLengthBeforeAndAfter() {
    String call =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"x\":["
            + "0,".repeat(1_000_000)
            + "0]}";
    Uncounted.Input held = read(Endpoint.CHAT, call);

    assertThat(held).isEqualTo(new Uncounted.Input(call.length() / 4, 0, true));
    assertThat(input(call)).isEqualTo(held.tokens());
  }

  /** Of a call whose texts were taken by their bytes, images count as in one that is counted. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CHAT       |"
            + " {'messages':[%m,{'role':'user','content':[{'type':'image_url','image_url':{'url':'https://x/a.png','detail':'low'}}]}]}"
            + " | 85",
        "MESSAGES   |"
            + " {'messages':[%m,{'role':'user','content':[{'type':'tool_result','tool_use_id':'t','content':[{'type':'image','source':{'type':'url','url':'https://x/a'}}]}]}]}"
            + " | 1600",
        "RESPONSES  |"
            + " {'input':[%m,{'role':'user','content':[{'type':'input_image','image_url':'https://x/a.png','detail':'low'}]}]}"
            + " | 85",
        "EMBEDDINGS | {'input':['%w',{'image':'QUFB'}]} | 765",
        "EMBEDDINGS | {'input':['%w',[1,2,3,4]]} | 4",
      })
  void bytesOfTextsAreFourToATokenAndImagesAreCounted(Endpoint endpoint, String body, long image) {
    String text = "word ".repeat(1000).strip();
    byte[] call =
        body.replace("%m", "{'role':'user','content':'%w'}")
            .replace("%w", text)
            .replace('\'', '"')
            .getBytes(UTF_8);
    Uncounted.Input input = read(endpoint, call, true, TokenCounter.ofBytes());

    assertThat(input.tokens()).isBetween(text.length() + image, text.length() + image + 40);
    assertThat(input.likelyByBytes())
        .isBetween(text.length() / 4 + image, text.length() / 4 + image + 10);
  }

  /** Otherwise a caller could have the gateway write more than the budget of the call holds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'bash_20250124','name':'t%d'}",
        "{'type':'text_editor','name':'t%d'}",
        "{'type':'memory_20250818','name':'t%d'}",
        "{'type':'computer_20250124','name':'t%d'}",
        "{'type':'function','function':{'name':'t%d'}}"
      })
  void whatIsWrittenOfToolsThatAreKnownByTheirTypeIsInput(String tool) throws Exception {
    boolean typed = !tool.contains("'function'");
    Endpoint called = typed ? Endpoint.MESSAGES : Endpoint.CHAT;
    String body = "{'messages':[{'role':'user','content':'hi'}],'tools':[%s]}";
    List<Endpoint> targets =
        typed ? List.of(Endpoint.CHAT, Endpoint.RESPONSES) : List.of(Endpoint.CHAT);
    isInput(called, body.formatted(many(tool)), targets, 4);
  }

  /** A tool of Responses that is known by its type is there once. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'local_shell'}",
        "{'type':'shell'}",
        "{'type':'apply_patch'}",
        "{'type':'tool_search','execution':'client'}",
        "{'type':'namespace','name':'n','tools':[{'type':'shell'},{'type':'apply_patch'}]}",
        "%s"
      })
  void soIsWhatIsWrittenOfThoseOfResponses(String tool) throws Exception {
    String tools = tool.formatted(many("{'type':'custom','name':'t%d'}"));
    isInput(
        Endpoint.RESPONSES,
        "{'input':'hi','tools':[" + tools + "]}",
        List.of(Endpoint.CHAT, Endpoint.MESSAGES),
        1);
  }

  @Test
  void soIsWhatIsWrittenOfCustomToolsOfChat() throws Exception {
    isInput(
        Endpoint.CHAT,
        "{'messages':[{'role':'user','content':'hi'}],'tools':[%s]}"
            .formatted(many("{'type':'custom','custom':{'name':'t%d'}}")),
        List.of(Endpoint.MESSAGES),
        1);
  }

  /** Tools that the conversation brings count as those that the call lists. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RESPONSES | {'input':[{'type':'additional_tools','role':'developer','tools':[%t]},%m]}",
        "RESPONSES | {'input':[%m,{'type':'tool_search_output','call_id':'c','tools':[%t]}]}",
        "MESSAGES  | {'messages':[%m,{'role':'system','content':[%d]}]}",
        "MESSAGES  | {'messages':[%m,{'role':'user','content':[%d]}]}"
      })
  void whatTheConversationBringsOfToolsIsInput(Endpoint called, String body) throws Exception {
    String type = called == Endpoint.RESPONSES ? "custom" : "bash_20250124";
    String tool = "{'type':'" + type + "','name':'t%d','description':'one two three'}";
    String defined =
        "{'type':'tool_addition','tool':{'type':'tool_definition','definition':" + tool + "}}";
    String message = "{'role':'user','content':'hi'}";
    String call =
        body.replace("%m", message).replace("%t", many(tool)).replace("%d", many(defined));
    String list = called == Endpoint.RESPONSES ? "input" : "messages";
    String listed = "{'%s':[%s],'tools':[%s]}".formatted(list, message, many(tool));

    assertThat(read(called, call).tokens())
        .isBetween(read(called, listed).tokens(), read(called, listed).tokens() * 2);
    assertThat(told(called, call)).isBetween(told(called, listed), told(called, listed) * 2);
  }

  private static long told(Endpoint called, String body) throws Exception {
    return new InputTokens(new TokenCounter())
        .of(called.format(), JsonValue.of(body.replace('\'', '"')));
  }

  @ParameterizedTest
  @ValueSource(strings = {"%d", "{'type':'tool_result','tool_use_id':'c','content':[%d]}"})
  void whatADocumentSaysOfItselfIsInput(String block) {
    String document =
        "{'type':'document','title':'%w','context':'%w','source':{'type':'text','data':'x'}}"
            .replace("%w", "word ".repeat(500).strip());
    String body = "{'messages':[{'role':'user','content':[" + block + "]}]}";

    assertThat(read(Endpoint.MESSAGES, body.replace("%d", document)).tokens())
        .isBetween(1000L, 1010L);
  }

  @Test
  void anImageThatTheSystemShowsIsInput() {
    String body =
        "{'input':[{'role':'developer','content':[{'type':'input_text','text':'see'},"
            + "{'type':'input_image','image_url':'https://x/a.png'}]}]}";
    assertThat(read(Endpoint.RESPONSES, body).tokens())
        .isBetween((long) ImageTokens.UNKNOWN, ImageTokens.UNKNOWN + 9L);
  }

  /**
   * A file of text is read as a text, wherever its data are; sound and film count by their length.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CHAT      |"
            + " {'type':'file','file':{'filename':'a.csv','file_data':'data:text/csv;base64,%t'}} |"
            + " 1000",
        "CHAT      | {'type':'file','file':{'filename':'a.bin','file_data':'%t'}} | 1000",
        "RESPONSES | {'type':'input_file','file_data':'data:application/json;base64,%t'} | 1000",
        "CHAT      | {'type':'file','file':{'file_data':'data:text/csv;base64,%z'}} | 1000",
        "CHAT      | {'type':'file','file':{'file_data':'data:text/csv;base64,%i'}} | 1000",
        "CHAT      | {'type':'file','file':{'file_data':'data:audio/x;base64,%t'}} | 1000",
        "CHAT      | {'type':'file','file':{'file_data':'data:audio/x;base64, %t'}} | 1000",
        "RESPONSES | {'type':'input_file','file_url':'https://x/%w'} | 2000",
        "RESPONSES | {'type':'input_file','file_url':'https://x/a'} | 1600",
        "CHAT      | {'type':'file','file':{'file_data':'data:application/zip;base64,%z'}} | 1600",
        "CHAT      |"
            + " {'type':'file','file':{'file_data':'data:application/pdf;base64,JVBERi0xLjQK'}} |"
            + " 1600",
        "CHAT      | {'type':'input_audio','input_audio':{'format':'mp3','data':'%s'}} | 3125",
        "CHAT      | {'type':'video_url','video_url':{'url':'data:video/mp4;base64,%s'}} | 3125",
        "CHAT      | {'type':'video_url','video_url':{'url':'https://x/a.mp4'}} | 1600",
      })
  void aFileCountsByWhatItsDataAre(Endpoint endpoint, String part, long tokens) {
    Base64.Encoder base64 = Base64.getEncoder();
    String words = "word ".repeat(1000).strip();
    String text = base64.encodeToString(words.getBytes(UTF_8));
    byte[] sound = new byte[100_000];
    String role = "[{'role':'user','content':[%s]}]".formatted(part);
    String body =
        (endpoint == Endpoint.CHAT ? "{'messages':" + role + "}" : "{'input':" + role + "}")
            .replace("%t", text)
            .replace("%z", base64.encodeToString((words + "\0").getBytes(UTF_8)))
            .replace("%i", base64.encodeToString((words + "\u00e9").getBytes(ISO_8859_1)))
            .replace("%w", "word/".repeat(1000))
            .replace("%s", base64.encodeToString(sound));

    Uncounted.Input input = read(endpoint, body);

    assertThat(input.tokens()).isBetween(tokens, tokens + 20);
    assertThat(input.hasUnseen()).isTrue();
  }

  private static String many(String tool) {
    return IntStream.range(0, 99).mapToObj(tool::formatted).collect(joining(","));
  }

  /** One format has more words for the same tool than another: by a part of what is written. */
  private static void isInput(Endpoint called, String body, List<Endpoint> targets, int part)
      throws Exception {
    Translator format = called.format().translator();
    Terms terms = new Terms(Calls.model("up"), "maker", 9, "max_tokens", false, "key");
    for (Endpoint target : targets) {
      byte[] asked = body.replace('\'', '"').getBytes(UTF_8);
      byte[] sent =
          target == called
              ? asked
              : Translation.of(
                      format,
                      target.format().translator(),
                      asked,
                      () -> asked,
                      terms,
                      null,
                      () -> 1,
                      String::length)
                  .body();
      for (TokenCounter counter : List.of(new TokenCounter(), TokenCounter.ofBytes())) {
        long read = read(target, sent, true, counter).tokens();
        long held = read(called, asked, true, counter).tokens();
        assertThat(held).as(target.name()).isBetween(read - read / 50, read + read / part);
        long told = new InputTokens(counter).of(called.format(), JsonValue.parse(asked));
        assertThat(told).isEqualTo(held);
      }
    }
  }

  /** Of a list of models some may not know the details, and another one that they count more. */
  @ParameterizedTest
  @CsvSource({"original, 12000", "low, 4800"})
  void aDetailThatSomeDoNotKnowMakesNoImageSmaller(String detail, int most) {
    String image =
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://a/b.png\",\"detail\":\"%s\"}}"
            .formatted(detail);
    String body = "{\"messages\":[{\"role\":\"user\",\"content\":[%s]}]}".formatted(image);

    Uncounted.Input read =
        Uncounted.input(
            Endpoint.CHAT,
            body.getBytes(UTF_8),
            JsonValue.of(body),
            false,
            true,
            new TokenCounter());

    assertThat(read.ofNoText()).isEqualTo(most);
  }

  private static Uncounted.Input read(Endpoint endpoint, String body) {
    return read(endpoint, body.replace('\'', '"').getBytes(UTF_8), true, new TokenCounter());
  }

  private static Uncounted.Input read(
      Endpoint endpoint, byte[] body, boolean knowsDetail, TokenCounter counter) {
    JsonValue root = JsonValue.of(new String(body, UTF_8));
    return Uncounted.input(endpoint, body, root, knowsDetail, false, counter);
  }

  private static long input(String body) {
    return asked(body).count(new TokenCounter()).get(Figure.INPUT_TOKENS);
  }

  private static long output(Endpoint endpoint, String answer, boolean stream) {
    byte[] bytes = answer.getBytes(UTF_8);
    return new Uncounted(endpoint, null, bytes, bytes.length, stream, Figures.UNKNOWN, true, false)
        .count(new TokenCounter())
        .get(Figure.OUTPUT_TOKENS);
  }

  private static Uncounted asked(String body) {
    return new Uncounted(
        Endpoint.CHAT, body.getBytes(UTF_8), null, 0, false, Figures.UNKNOWN, true, false);
  }
}
