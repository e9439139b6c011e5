package io.memorygateway.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.Completion;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Questions of the gateway's own, and their answers, in each format. */
class QuestionTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void aQuestionIsASystemPromptAndOneUserMessage() throws IOException {
    assertThat(question(chat))
        .isEqualTo(
            json(
                "{'model':'m','messages':[{'role':'system','content':'be \\'brief\\''},"
                    + "{'role':'user','content':'line\\n'}]}"));
    assertThat(question(messages))
        .isEqualTo(
            json(
                "{'model':'m','max_tokens':7,'system':'be \\'brief\\'',"
                    + "'messages':[{'role':'user','content':'line\\n'}]}"));
    assertThat(question(responses))
        .isEqualTo(
            json("{'model':'m','instructions':'be \\'brief\\'','input':'line\\n','store':false}"));
  }

  @Test
  void imagesAndFilesStandBehindTheText() throws IOException {
    Media[] shown = {Media.ofData("image/webp", "AAAA"), Media.ofData("application/pdf", "BBBB")};
    assertThat(question(chat, shown).at("/messages/1/content"))
        .isEqualTo(
            json(
                "[{'type':'text','text':'line\\n'},"
                    + "{'type':'image_url','image_url':{'url':'data:image/webp;base64,AAAA'}},"
                    + "{'type':'file','file':{'filename':'file.pdf','file_data':'data:application/pdf;base64,BBBB'}}]"));
    assertThat(question(messages, shown).at("/messages/0/content"))
        .isEqualTo(
            json(
                "[{'type':'text','text':'line\\n'},"
                    + "{'type':'image','source':{'type':'base64','media_type':'image/webp','data':'AAAA'}},"
                    + "{'type':'document','source':{'type':'base64','media_type':'application/pdf','data':'BBBB'}}]"));
    assertThat(question(responses, shown).at("/input/0"))
        .isEqualTo(
            json(
                "{'role':'user','content':[{'type':'input_text','text':'line\\n'},"
                    + "{'type':'input_image','image_url':'data:image/webp;base64,AAAA'},"
                    + "{'type':'input_file','filename':'file.pdf','file_data':'data:application/pdf;base64,BBBB'}]}"));
  }

  @Test
  void onlyAnthropicRequiresAVersion() {
    assertThat(chat.requiredHeaders()).isEmpty();
    assertThat(responses.requiredHeaders()).isEmpty();
    assertThat(messages.requiredHeaders()).containsOnlyKeys("anthropic-version");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat | ab | false | {'choices':[{'message':{'role':'assistant','content':[{'type':'text',"
            + "'text':'a'},{'type':'text','text':'b'}]},'finish_reason':'stop'}]}",
        "chat | a | true | {'choices':[{'message':{'content':'a'},'finish_reason':'length'}]}",
        "chat | `` | false | {'choices':[]}",
        "messages | ab | false | {'content':[{'type':'thinking','thinking':'x'},{'type':'text',"
            + "'text':'a'},{'type':'text','text':'b'}],'stop_reason':'end_turn'}",
        "messages | a | true | {'content':[{'type':'text','text':'a'}],'stop_reason':'max_tokens'}",
        "responses | a | false | {'status':'completed','output':[{'type':'reasoning','summary':[]},"
            + "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'a'}]}]}",
        "responses | `` | true | {'status':'incomplete','output':[]}",
      })
  void anAnswerIsItsTextAndWhetherItIsTruncated(
      String format, String text, boolean truncated, String answer) throws Exception {
    Completion completion = format(format).completion(answer.replace('\'', '"').getBytes(UTF_8));
    assertThat(completion.text()).isEqualTo(text);
    assertThat(completion.truncated()).isEqualTo(truncated);
    assertThat(completion.usage()).isEqualTo(Figures.NONE);
  }

  @ParameterizedTest
  @CsvSource({"chat", "messages", "responses"})
  void whatIsNoAnswerIsRefused(String format) {
    for (String answer : new String[] {"", "<html>", "[]", "{} {}", "{\"a\""}) {
      assertThatThrownBy(() -> format(format).completion(answer.getBytes(UTF_8)))
          .isInstanceOf(MalformedAnswerException.class);
    }
  }

  private Format format(String format) {
    return format.equals("chat") ? chat : format.equals("messages") ? messages : responses;
  }

  private static JsonNode question(Format format, Media... media) throws IOException {
    List<Media> shown = List.of(media);
    return JSON.readTree(format.question("m", "be \"brief\"", "line\n", shown, 7));
  }

  private static JsonNode json(String text) throws IOException {
    return JSON.readTree(text.replace("\\'", "\\\"").replace('\'', '"'));
  }
}
