package io.memorygateway.format;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;

/**
 * Answers of every kind that makers give: the message, blocks or items that their SDKs make of
 * them. Words such as {@code ans_1} have the number of the step, and stand nowhere else.
 */
enum AnswerKind {
  CHAT_TEXT(Wire.CHAT, "", "{'content':'This is ans_#.','refusal':null,'annotations':[]}"),
  CHAT_CALL(Wire.CHAT, "", "{'content':null,'tool_calls':[" + AnswerKind.CHAT_CALLED + "]}"),
  CHAT_TWO_CALLS(
      Wire.CHAT,
      "",
      "{'content':'Well, ans_#:','tool_calls':["
          + AnswerKind.CHAT_CALLED
          + ",{'id':'call_#_b','type':'function','function':{'name':'see','arguments':'{}'}}]}"),
  CHAT_ANSWER_MEMBERS(
      Wire.CHAT,
      "",
      "{'content':'ans_#','refusal':null,'annotations':[{'type':'url_citation'}],'tool_calls':["
          + AnswerKind.CHAT_CALLED
          + "]}"),
  CHAT_REASONING_CONTENT(
      Wire.CHAT,
      "reasoning_content",
      "{'content':null,'reasoning_content':'A thought, tht_#.','tool_calls':["
          + AnswerKind.CHAT_CALLED
          + "]}"),
  CHAT_REASONING_DETAILS(
      Wire.CHAT,
      "reasoning_details",
      "{'content':'','reasoning_details':[{'type':'reasoning.text','index':0,'format':'v1',"
          + "'text':'A long thought, tht_#.','signature':'sig_#'},{'type':'reasoning.encrypted',"
          + "'index':1,'data':'enc_#'}],'tool_calls':["
          + AnswerKind.CHAT_CALLED
          + "]}"),
  CHAT_SIGNED_CALL(
      Wire.CHAT,
      "extra_content",
      "{'content':null,'tool_calls':[{'id':'call_#','type':'function','function':{'name':'look',"
          + "'arguments':'{}'},'extra_content':{'google':{'thought_signature':'sig_#'}}}]}"),
  CHAT_ODD_ID(
      Wire.CHAT,
      "",
      "{'content':null,'tool_calls':[{'id':'functions.look:#','type':'function',"
          + "'function':{'name':'look','arguments':'{}'}}]}"),
  CHAT_THINKING_PARTS(
      Wire.CHAT,
      "thinking",
      "{'content':[{'type':'thinking','thinking':[{'type':'text','text':'So, tht_#.'}]},"
          + "{'type':'text','text':'It is ans_#.'}]}"),
  CHAT_AUDIO(
      Wire.CHAT,
      "",
      "{'content':null,'audio':{'id':'sig_#','data':'AAAA','expires_at':9,"
          + "'transcript':'I say ans_#.'}}"),
  CHAT_BROKEN_CALL(
      Wire.CHAT,
      "",
      "{'content':'ans_#','tool_calls':[{'id':'call_#','type':'function',"
          + "'function':{'name':'look','arguments':'{ cut'}}]}"),
  MESSAGES_TEXT(Wire.MESSAGES, "", "[{'type':'text','text':'This is ans_#.'}]"),
  MESSAGES_TEXTS(
      Wire.MESSAGES,
      "",
      "[{'type':'text','text':'This is ans_#.'},{'type':'text','text':' And more.'}]"),
  MESSAGES_CALL(Wire.MESSAGES, "", "[" + AnswerKind.BLOCK_CALLED + "]"),
  MESSAGES_THOUGHT(
      Wire.MESSAGES,
      "",
      "[{'type':'thinking','thinking':'A thought, tht_#.','signature':'sig_#'},"
          + "{'type':'redacted_thinking','data':'enc_#'},{'type':'text','text':'Well, ans_#'},"
          + AnswerKind.BLOCK_CALLED
          + "]"),
  MESSAGES_UNSIGNED(
      Wire.MESSAGES,
      "thinking",
      "[{'type':'thinking','thinking':'A thought, tht_#.'}," + AnswerKind.BLOCK_CALLED + "]"),
  MESSAGES_SEARCH(
      Wire.MESSAGES,
      "",
      "[{'type':'server_tool_use','id':'srvtoolu_#','name':'web_search','input':{'q':'x'}},"
          + "{'type':'web_search_tool_result','tool_use_id':'srvtoolu_#','content':["
          + "{'type':'web_search_result','encrypted_content':'enc_#'}]},{'type':'text',"
          + "'text':'It is ans_#.','citations':[{'type':'x','encrypted_index':'sig_#'}]}]"),
  MESSAGES_PAUSED(
      Wire.MESSAGES,
      "",
      "[{'type':'text','text':'Looking, ans_#.'},{'type':'server_tool_use',"
          + "'id':'srvtoolu_#','name':'web_search','input':{'q':'x'}}]"),
  MESSAGES_MCP(
      Wire.MESSAGES,
      "",
      "[{'type':'mcp_tool_use','id':'mcptoolu_#','name':'f','server_name':'s','input':{}},"
          + "{'type':'mcp_tool_result','tool_use_id':'mcptoolu_#','is_error':false,'content':["
          + "{'type':'text','text':'res_#'}]},{'type':'text','text':'It is ans_#.'}]"),
  MESSAGES_NEW_BLOCK(
      Wire.MESSAGES,
      "newest",
      "[{'type':'newest','id':'new_#','state':{'of':'enc_#'}},{'type':'text','text':'ans_#'}]"),
  RESPONSES_TEXT(Wire.RESPONSES, "", "[" + AnswerKind.ITEM_SAID + "]"),
  RESPONSES_THOUGHT(
      Wire.RESPONSES, "", "[" + AnswerKind.ITEM_THOUGHT + "," + AnswerKind.ITEM_SAID + "]"),
  RESPONSES_CALL(
      Wire.RESPONSES,
      "",
      "["
          + AnswerKind.ITEM_THOUGHT
          + ",{'id':'fc_#','type':'function_call','status':'completed','call_id':'call_#',"
          + "'name':'look','arguments':'{\"n\":1.0}'}]"),
  RESPONSES_CUSTOM_CALL(
      Wire.RESPONSES,
      "",
      "[{'id':'ctc_#','type':'custom_tool_call','status':'completed','call_id':'call_#',"
          + "'name':'edit','input':'any ans_#'}]"),
  RESPONSES_SHELL_CALL(
      Wire.RESPONSES,
      "",
      "[{'id':'sh_#','type':'shell_call','status':'completed','call_id':'call_#',"
          + "'action':{'commands':['ls']},'created_by':'u'}]"),
  RESPONSES_LOCAL_SHELL(
      Wire.RESPONSES,
      "",
      "[{'id':'lsh_#','type':'local_shell_call','status':'completed','call_id':'call_#',"
          + "'action':{'type':'exec','command':['ls']}}]"),
  RESPONSES_PATCH(
      Wire.RESPONSES,
      "",
      "[{'id':'apc_#','type':'apply_patch_call','status':'completed','call_id':'call_#',"
          + "'operation':{'type':'delete_file','path':'ans_#'}}]"),
  RESPONSES_NEW_CALL(
      Wire.RESPONSES,
      "newest_use newest_use_output",
      "[{'id':'new_#','type':'newest_use','call_id':'call_#','of':{'words':'ans_#'}}]"),
  RESPONSES_TOOL_SEARCH(
      Wire.RESPONSES,
      "",
      "[{'id':'tsc_#','type':'tool_search_call','execution':'client','status':'completed',"
          + "'call_id':'call_#','arguments':{'q':'ans_#'}}]"),
  RESPONSES_WEB_SEARCH(
      Wire.RESPONSES,
      "",
      "[{'id':'ws_#','type':'web_search_call','status':'completed','action':{'type':'search'}},"
          + AnswerKind.ITEM_SAID
          + "]"),
  RESPONSES_IMAGE(
      Wire.RESPONSES,
      "",
      "[{'id':'rs_#','type':'reasoning','status':'completed','summary':[],'content':["
          + "{'type':'reasoning_text','text':'t'}],'encrypted_content':'enc_#'},"
          + "{'id':'ig_#','type':'image_generation_call','status':'completed','action':'generate',"
          + "'quality':'high','size':'1024x1024','result':'res_#'},"
          + AnswerKind.ITEM_SAID
          + "]"),
  RESPONSES_MCP_CALL(
      Wire.RESPONSES,
      "",
      "[{'id':'mcp_#','type':'mcp_call','server_label':'s','name':'f','arguments':'{}',"
          + "'output':'res_#','error':null},"
          + AnswerKind.ITEM_SAID
          + "]"),
  RESPONSES_NEW_ITEM(
      Wire.RESPONSES,
      "newest_call",
      "[{'id':'new_#','type':'newest_call','state':{'of':'enc_#'}}," + AnswerKind.ITEM_SAID + "]");

  private static final String CHAT_CALLED =
      "{'id':'call_#','type':'function','function':{'name':'look','arguments':'{\"n\":1.0}'}}";
  private static final String BLOCK_CALLED =
      "{'type':'tool_use','id':'toolu_#','name':'look','input':{'n':1.5}}";
  private static final String ITEM_SAID =
      "{'id':'msg_#','type':'message','role':'assistant','status':'completed','content':["
          + "{'type':'output_text','text':'This is ans_#.','annotations':[]}]}";
  private static final String ITEM_THOUGHT =
      "{'id':'rs_#','type':'reasoning','summary':[],'encrypted_content':'enc_#'}";

  private final Wire wire;
  private final String ofMaker;
  private final String json;

  AnswerKind(Wire wire, String ofMaker, String json) {
    this.wire = wire;
    this.ofMaker = ofMaker;
    this.json = json;
  }

  Wire wire() {
    return wire;
  }

  /** What its maker takes in requests besides, for the checker. */
  Set<String> ofMaker() {
    return RequestChecker.names(ofMaker);
  }

  /** What the maker's SDK makes of the answer in this step. */
  JsonNode answer(int step) {
    return Wire.tree(json.replace("\"", "\\\"").replace('\'', '"').replace("#", "" + step));
  }
}
