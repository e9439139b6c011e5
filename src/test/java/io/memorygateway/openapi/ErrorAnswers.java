package io.memorygateway.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.api.ResponseHeader.Group;
import java.util.List;

/** Responses that all operations share: errors, and the headers of every response. */
final class ErrorAnswers {
  private ErrorAnswers() {}

  /** Key of the response for every status that an operation does not name. */
  static final String DEFAULT = "default";

  /**
   * Name of an error among the responses of the document.
   *
   * @param status a number, or {@link #DEFAULT}
   */
  static String name(String status) {
    return status.equals(DEFAULT) ? "ErrorOther" : "Error" + status;
  }

  /**
   * Shared responses of the document.
   *
   * @param errors description and example by status
   */
  static ObjectNode responses(ObjectNode errors) {
    ObjectNode responses = JsonNodeFactory.instance.objectNode();
    for (var error : errors.properties()) {
      String status = error.getKey();
      JsonNode about = error.getValue();
      ObjectNode response = responses.putObject(name(status));
      response.set("description", about.get("description"));
      addHeaders(response, status);
      ObjectNode json = response.putObject("content").putObject("application/json");
      json.putObject("schema").put("$ref", "#/components/schemas/Error");
      json.set("example", about.get("example"));
    }
    return responses;
  }

  static void addHeaders(ObjectNode response, String status) {
    ObjectNode headers = response.putObject("headers");
    addHeaders(headers, Group.EVERY_RESPONSE);
    if (status.equals("429") || status.equals("503")) {
      addHeaders(headers, Group.TRY_LATER);
    }
    if (status.equals("405")) {
      addHeaders(headers, Group.WRONG_METHOD);
    }
    if (List.of("401", "402", "403").contains(status)) {
      addHeaders(headers, Group.FINAL);
    }
    if (status.equals("401")) {
      addHeaders(headers, Group.WITHOUT_KEY);
    }
  }

  static void addHeaders(ObjectNode headers, Group group) {
    for (ResponseHeader header : group.headers()) {
      String name = header.headerName();
      headers.putObject(name).put("$ref", "#/components/headers/" + name);
    }
  }
}
