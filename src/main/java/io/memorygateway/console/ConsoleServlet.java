package io.memorygateway.console;

import io.memorygateway.json.Sha256;
import io.memorygateway.openapi.PublicFile;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Servlet of the console's files: its page at the root of the admin port, and everything that the
 * page loads under {@code /console/}. They are the same for everybody and contain no data; the page
 * gets its data from the admin API.
 */
final class ConsoleServlet extends HttpServlet {
  /** Path pattern of the root alone. */
  static final String PAGE = "";

  static final String FILES = "/console/";

  private static final int BYTES_OF_TAG = 16;

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html;charset=utf-8",
          "js", "text/javascript;charset=utf-8",
          "css", "text/css;charset=utf-8",
          "svg", "image/svg+xml",
          "json", "application/json",
          "txt", "text/plain;charset=utf-8");

  /** By their names; read, digested and compressed once, for who has no login gets them, too. */
  private final transient Map<String, Known> files = new ConcurrentHashMap<>();

  private record Known(PublicFile bytes, String digest) {
    /** Returns null if there is no such file. */
    static @Nullable Known of(String name) {
      String path = "/console/" + name;
      if (ConsoleServlet.class.getResource(path) == null) {
        return null;
      }
      PublicFile file = new PublicFile(path);
      byte[] digest = Sha256.of(file.bytes(false));
      return new Known(file, HexFormat.of().formatHex(digest, 0, BYTES_OF_TAG));
    }
  }

  /** Whether no part of a name begins with a dot, so that no path leads out of the folder. */
  private static boolean isName(String name) {
    boolean begins = true;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!plain && (begins || "/_.-".indexOf(c) < 0)) {
        return false;
      }
      begins = c == '/';
    }
    return !begins;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    boolean head = request.getMethod().equals("HEAD");
    if (!head && !request.getMethod().equals("GET")) {
      response.setHeader("Allow", "GET, HEAD");
      response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
      return;
    }
    String name = name(request);
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    Known file = type != null && isName(name) ? files.computeIfAbsent(name, Known::of) : null;
    if (file == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    boolean isZipped = PublicFile.takesGzip(request.getHeader("Accept-Encoding"));
    String tag = '"' + file.digest + (isZipped ? "-gz\"" : "\"");
    response.setHeader("ETag", tag);
    response.setHeader("Vary", "Accept-Encoding");
    // A new version of the gateway may bring other files under the same names.
    response.setHeader("Cache-Control", "no-cache");
    if (isAmong(tag, request.getHeaders("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return;
    }
    byte[] body = file.bytes.bytes(isZipped);
    response.setContentType(type);
    if (isZipped) {
      response.setHeader("Content-Encoding", "gzip");
    }
    response.setContentLength(body.length);
    if (!head) {
      response.getOutputStream().write(body);
    }
  }

  /** Compares weakly (RFC 9110, 13.1.2): a proxy that compresses makes a tag weak. */
  private static boolean isAmong(String tag, Enumeration<String> given) {
    while (given.hasMoreElements()) {
      for (String other : given.nextElement().split(",", -1)) {
        String stripped = other.strip();
        if (stripped.equals("*") || stripped.equals(tag) || stripped.equals("W/" + tag)) {
          return true;
        }
      }
    }
    return false;
  }

  private static String name(HttpServletRequest request) {
    String path = request.getPathInfo();
    return path == null || request.getServletPath().isEmpty() ? "index.html" : path.substring(1);
  }
}
