package io.memorygateway.format.responses;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §14: the tools of a call of Responses, their calls and their results. */
class ResponsesToolsTest {
  private static final String PIXEL = "data:image/png;base64,iVBORw0KGgo=";

  @Test
  void toolsWhoseJoinedNamesAreTheSameAreToldApart() throws Exception {
    String body =
        """
        {"model":"m","tools":[
          {"type":"namespace","name":"a","tools":[{"type":"function","name":"b__c"}]},
          {"type":"namespace","name":"a__b","tools":[{"type":"function","name":"c"}]},
          {"type":"namespace","name":"a","tools":[{"type":"function","name":"b__c"}]}],
         "input":[{"role":"user","content":"x"},
          {"type":"function_call","call_id":"1","name":"b__c","namespace":"a","arguments":"{}"},
          {"type":"function_call","call_id":"2","name":"c","namespace":"a__b","arguments":"{}"}]}
        """;
    Request request = read(body);

    List<String> names = request.tools().stream().map(Tool::name).toList();
    assertEquals(2, names.stream().distinct().count(), names.toString());
    assertEquals(
        names,
        request.messages().get(1).parts().stream()
            .map(part -> ((Part.ToolCall) part).name())
            .toList());
    ResponsesTools tools = new ResponsesTools(JsonValue.of(body));
    JsonValue second = JsonValue.of(tools.item("i", "completed", "3", names.get(1), "{}"));
    assertEquals("a__b c", second.text("namespace") + " " + second.text("name"));
  }

  @Test
  void aScreenshotIsAnImage() throws Exception {
    Request request =
        read(
            """
            {"model":"m","input":[{"role":"user","content":"x"},
              {"type":"computer_call","call_id":"c","action":{"type":"click"}},
              {"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"%s"}}]}
            """
                .formatted(PIXEL));

    Part.ToolResult result = (Part.ToolResult) request.messages().get(2).parts().get(0);
    Part.Image image = (Part.Image) result.content().get(0);
    assertEquals(PIXEL, image.media().asUrl(""));
  }

  @Test
  void severalActionsOfOneCallStaySeveral() throws Exception {
    Request request =
        read(
            """
            {"model":"m","input":[{"role":"user","content":"x"},
              {"type":"computer_call","call_id":"c","actions":[{"type":"click"},{"type":"wait"}]},
              {"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot"}}]}
            """);

    Part.ToolCall call = (Part.ToolCall) request.messages().get(1).parts().get(0);
    assertEquals("{\"actions\":[{\"type\":\"click\"},{\"type\":\"wait\"}]}", call.arguments());
  }

  private static Request read(String body) throws Exception {
    return new ResponsesTranslator().read(JsonValue.of(body), new Dropped());
  }
}
