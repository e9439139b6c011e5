package io.memorygateway.format;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Answers.text;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A call with {@code models}, names to be tried in their order, in single quotes. */
class ModelListTest {
  @Test
  void theNamesAreReadInTheirOrder() throws Exception {
    RequestBody both = parse("{'models':['b','c'],'model':'a'}");
    assertThat(both.model()).isEqualTo("a");
    assertThat(both.models()).containsExactly("b", "c");

    RequestBody alone = parse("{'models':['b','c']}");
    assertThat(alone.model()).as("the first").isEqualTo("b");
    assertThat(alone.models()).containsExactly("b", "c");

    assertThat(parse("{'model':'a'}").models()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'model':'a','models':['b'],'n':1.0}    | {'model':'a','n':1.0}",
        "{'model':'a' ,\t'models' : ['b'] , 'n':1}| {'model':'a'  , 'n':1}",
        "{'models':['b'],'model':'a'}            | {'model':'a'}",
        "{ 'models':['b','c'] , 'model':'a'}     | {  'model':'a'}",
        "{'n':1,'models':['b'],'model':'a'}      | {'n':1,'model':'a'}",
        "{'model':'a','models':['b']}            | {'model':'a'}",
        "{'n':[1,2],'models':['b']}              | {'n':[1,2],'model':'b'}",
        "{'model':'a','n':1}                     | {'model':'a','n':1}",
      })
  void theListIsLeftOutAndNothingElseChanges(String body, String expected) throws Exception {
    RequestBody one = parse(body).withoutModels();
    assertThat(text(one.withModel(one.model()))).isEqualTo(json(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'model':'a','models':['b'],'n':1} | {'model':'x','models':['b'],'n':1}",
        "{'models':['b','c'],'n':1}         | {'model':'x','n':1}",
      })
  void anotherModelIsWrittenInItsPlace(String body, String expected) throws Exception {
    assertThat(text(parse(body).withModel("x"))).isEqualTo(json(expected));
  }

  @Test
  void theListStaysWhereItsFirstNameIsTheModel() throws Exception {
    String body = "{'models':['b','c'],'n':1}";
    assertThat(text(parse(body).withModel("b"))).isEqualTo(json(body));
  }

  @Test
  void usageIsAskedForBehindTheList() throws Exception {
    assertThat(text(parse("{'models':['b','c'],'stream':true}").withModelAndStreamUsage("b")))
        .isEqualTo(
            json("{'models':['b','c'],'stream_options':{'include_usage':true},'stream':true}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "'b'",
        "null",
        "{'0':'b'}",
        "['b',1]",
        "[['b']]",
        "['b',' ']",
        "['b'],'models':['c']"
      })
  void whatIsNoListOfNamesIsLeftToTheUpstream(String models) throws Exception {
    String body = "{'model':'a','models':" + models + "}";
    assertThat(parse(body).models()).isNull();
    assertThat(text(parse(body).withoutModels().withModel("a"))).isEqualTo(json(body));
    assertThatThrownBy(() -> parse("{'models':" + models + "}"))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage("model is required.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'model':'a'}                              | false",
        "{'model':'a','models':['b']}               | false",
        "{'model':'a','models':null}                | false",
        "{'model':'a','models':[]}                  | false",
        "{'model':'a','models':'b'}                 | true",
        "{'model':'a','models':{'b':1}}             | true",
        "{'model':'a','models':['b',1]}             | true",
        "{'model':'a','models':['b',' ']}           | true",
        "{'model':'a','models':['b'],'models':['c']}| true",
        "{'model':'a','models':['b'],'models':null} | true",
        "{'model':'a','Model':'b'}                  | true",
        "{'MODELS':['b'],'model':'a'}               | true",
        "{'model':'a','model_':'b'}                 | false",
        "{'model':'a','fallbacks':[{'model':'b'}]}  | false",
        "{'model':'a','fallbacks':[{'model':'b','speed':'standard'},'c']} | false",
        "{'model':'a','fallbacks':[{'model':'b','speed':'fast'}]} | true",
        "{'model':'a','fallbacks':[{'model':'b','model':'c'}]} | true",
        "{'model':'a','fallbacks':[{'model':' '}]}  | true",
        "{'model':'a','fallbacks':[{}]}             | true",
        "{'model':'a','fallbacks':[['b']]}          | true",
        "{'model':'a','fallbacks':{'model':'b'}}    | true",
        "{'model':'a','fallbacks':'default'}        | true",
        "{'model':'a','fallbacks':null}             | false",
        "{'model':'a','fallbacks':null,'fallbacks':null} | true",
        "{'model':'a','context_window_fallbacks':[{'a':['b']}]} | true",
        "{'model':'a','fallback_models':['b']}      | true",
        "{'model':'a','preset':'b'}                 | true",
        "{'model':'a','advisor':{'model':'b'}}      | true",
        "{'model':'a','plugins':[{'id':'web'}]}     | false",
        "{'model':'a','plugins':[{'id':'fusion','models':['b']}]} | true",
        "{'model':'a','providerOptions':{'gateway':{'order':['b']}}} | false",
        "{'model':'a','providerOptions':{'gateway':{'models':['b']}}} | true",
        "{'model':'a','extra_body':{'model':'b'}}   | true",
        "{'model':'a','metadata':{'model':'b'}}     | false",
        "{'model':'a','tools':[{'type':'advisor_20260301','model':'b'}]} | false",
        "{'model':'a','tools':[{'model':'b','type':'x:advisor','parameters':{'model':'c'}}]} | true",
        "{'model':'a','tools':[{'type':'advisor_20260301'}]} | true",
        "{'model':'a','tools':[{'type':'x:advisor','parameters':{'models':['b']}}]} | true",
        "{'model':'a','tools':[{'type':'function','model':'b','function':{'name':'advisor'}}]} | false",
        "{'model':'a','tools':[{'name':'f','input_schema':{'model':'b'}}]} | false",
        "{'model':'a','tools':[{'parameters':{'models':['b','c']},'type':'x:advisor'}]} | true",
        "{'model':'a','tools':[{'type':'function','parameters':{'models':['b','c']}}]} | false",
        "{'model':'a','tools':[{'type':'namespace','name':'n','tools':[{'type':'function','name':'f'}]}]} | false",
        "{'model':'a','tools':[{'type':'namespace','tools':[{'type':'advisor_20260301'}]}]} | true",
        "{'model':'a','tools':[{'type':'image_generation','model':'b'}]} | false",
        "{'model':'a','tools':[{'type':'image_generation','Model':'b'}]} | true",
        "{'model':'a','input':[{'type':'additional_tools','tools':[{'type':'advisor'}]}]} | true",
        "{'model':'a','messages':[{'content':[{'tool':{'definition':{'type':'advisor'}}}]}]} | true",
        "{'model':'a','messages':[{'content':[{'tool':{'definition':{'name':'f'}}},{'tool':1},'x']},1]} | false",
        "{'model':'a','messages':[{'content':[{'input':{'definition':{'type':'advisor'}}}]}]} | false",
        "{'model':'a','Tools':[{'type':'f'}]}       | true",
        "{'model':'a','Tools':[]}                   | false",
        "{'model':'a','Model':null}                 | false",
        "{'model':'a','Model':''}                   | true",
        "{'model':'a','models':{}}                  | false",
        "{'model':'a','fallbacks':{}}               | false",
        "{'model':'a','fallback_models':null}       | false",
        "{'model':'a','fallback_models':[]}         | false",
        "{'model':'a','fallback_models':[[]]}       | true",
        "{'model':'a','preset':null}                | false",
        "{'model':'a','preset':null,'Preset':'b'}   | true",
        "{'model':'a','advisor':{}}                 | false",
        "{'model':'a','plugins':[{'model':null,'models':[],'preset':{}},{'id':'x'}]} | false",
        "{'model':'a','plugins':[{'models':[]},{'a':[{'models':['b']}]}]} | true",
        "{'model':'a','extra_body':{'model':null,'fallbacks':{'a':1}}} | true",
        "{'model':'a','tools':[{'type':'image_generation','model':null}]} | false",
        "{'model':'a','tools':[{'type':'advisor_20260301','model':null}]} | true",
        "{'model':'a','tools':[{'type':'x:advisor','parameters':{'models':[],'model':'b'}}]} | false",
        "{'model':'a','tools':[{'type':'x:advisor','parameters':{'model':'b','a':{'models':['c']}}}]} | true",
      })
  void whatAProviderMayReadAsAnotherModelIsTold(String body, boolean foreign) throws Exception {
    assertThat(parse(body).kept().foreignModels()).isEqualTo(foreign);
  }

  @Test
  void fallbacksGoUpAsTheyAreAndMayAnswer() throws Exception {
    String body =
        "{'model':'a','fallbacks':[{'model':'b','max_tokens':1},{'model':'c'}],'models':['d']}";
    assertThat(parse(body).kept().fallbacks()).containsExactly("b", "c");
    assertThat(parse(body).sentModels()).containsExactly("d", "b", "c");
    assertThat(parse(body).withoutModels().sentModels()).containsExactly("b", "c");
    assertThat(text(parse(body).withModel("a"))).isEqualTo(json(body));
    String many = String.join(",", Collections.nCopies(11, "'b'"));
    assertThat(parse("{'model':'a','fallbacks':[" + many + "]}").kept().foreignModels()).isTrue();
  }

  @Test
  void toolsThatAskAModelNameItAndItMayAnswer() throws Exception {
    String body =
        "{'model':'a','fallbacks':['b'],'tools':[{'type':'advisor_20260301','model':'b'},"
            + "{'parameters':{'model':'c'},'type':'x:advisor'},{'type':'function','model':'d'}]}";
    assertThat(parse(body).sentModels()).containsExactly("b", "c");
  }

  /** A message of Messages may define a tool, as may the rest of those that a compaction took. */
  @Test
  void toolsThatMessagesDefineNameTheirModelsToo() throws Exception {
    String added =
        "{'type':'tool_addition','tool':{'type':'tool_definition','definition':"
            + "{'type':'advisor_20260301','name':'advisor','model':'%s'}}}";
    String body =
        "{'model':'a','messages':['x',{'role':'user','content':'hi'},{'role':'system','content':["
            + added.formatted("b")
            + "]},{'role':'assistant','content':[{'type':'compaction','tool_changes':["
            + added.formatted("c")
            + "]}]}]}";
    assertThat(parse(body).sentModels()).containsExactly("b", "c");
    assertThat(parse(body).kept().foreignModels()).isFalse();
  }

  /** Its model is one that the call names, but none that answers it. */
  @Test
  void theModelOfAToolThatMakesImagesIsNamed() throws Exception {
    String body =
        "{'model':'a','tools':[{'type':'image_generation','model':'b'},{'type':'image_generation'}],"
            + "'input':['x',{'type':'additional_tools','tools':[{'model':'c','type':'image_generation'}]}]}";
    assertThat(parse(body).kept().named()).containsExactly("b", "c");
    assertThat(parse(body).sentModels()).isEmpty();
  }

  @Test
  void aListHasAtMost10Names() throws Exception {
    String most = String.join(",", Collections.nCopies(10, "'b'"));
    assertThat(parse("{'model':'a','models':[" + most + "]}").models()).hasSize(10);
    assertThatThrownBy(() -> parse("{'model':'a','models':[" + most + ",'c']}"))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage("models names more than 10 models.");
  }

  @Test
  void aNameHasAtMost255Characters() throws Exception {
    String longest = "m".repeat(255);
    assertThat(parse("{'model':'" + longest + "'}").model()).isEqualTo(longest);
    assertThat(parse("{'models':['b','" + longest + "']}").models()).contains(longest);
    assertThatThrownBy(() -> parse("{'model':'" + longest + "m'}"))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage("model must have at most 255 characters.");
    assertThatThrownBy(() -> parse("{'model':'a','models':['b','" + longest + "m']}"))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessage("A name in models must have at most 255 characters.");
  }

  private static RequestBody parse(String singleQuoted) throws MalformedBodyException {
    return RequestBody.parse(bytes(json(singleQuoted)));
  }
}
