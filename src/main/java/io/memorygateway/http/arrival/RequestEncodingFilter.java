package io.memorygateway.http.arrival;

import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/**
 * Decompresses request bodies: {@code Content-Encoding: gzip}. Any other coding is refused when the
 * body is read, that is, after the key was checked. Replaces Jetty's own decoder, which takes a
 * truncated body for a complete one.
 */
public final class RequestEncodingFilter implements Filter {
  private static final List<String> GZIP = List.of("gzip", "x-gzip");
  private static final List<String> HIDDEN = List.of("content-encoding", "content-length");

  private final long maxBodyBytes;

  /**
   * Creates a filter.
   *
   * @param maxBodyBytes bytes of a body after decompression; more is answered with 413
   */
  public RequestEncodingFilter(long maxBodyBytes) {
    this.maxBodyBytes = maxBodyBytes;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    List<String> codings = codings((HttpServletRequest) request);
    if (codings.isEmpty()) {
      chain.doFilter(request, response);
      return;
    }
    boolean known = codings.size() == 1 && GZIP.contains(codings.get(0));
    try (Body body = new Body(known ? new GunzipInputStream(request.getInputStream()) : null)) {
      chain.doFilter(new Decoded((HttpServletRequest) request, body), response);
    }
  }

  /** Returns the codings of the body, without identity. */
  private static List<String> codings(HttpServletRequest request) {
    if (request.getHeader("Content-Encoding") == null) {
      return List.of();
    }
    return Collections.list(request.getHeaders("Content-Encoding")).stream()
        .flatMap(line -> Stream.of(line.split(",", -1)))
        .map(coding -> coding.strip().toLowerCase(Locale.ROOT))
        .filter(coding -> !coding.isEmpty() && !coding.equals("identity"))
        .toList();
  }

  /** The decoded body; without a source, reading it is an error. */
  private final class Body extends ServletInputStream {
    private final @Nullable InputStream source;
    private long count;
    private boolean ended;

    Body(@Nullable InputStream source) {
      this.source = source;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (source == null) {
        throw new ApiException(
            ApiError.of(
                    415,
                    ErrorType.INVALID_REQUEST,
                    "The Content-Encoding of the request is not supported: send the body as it is or compressed with gzip.")
                .withHeader("Accept-Encoding", "gzip"));
      }
      int read = source.read(to, offset, length);
      ended |= read < 0;
      count += Math.max(0, read);
      if (count > maxBodyBytes) {
        throw new HttpException.RuntimeException(413, "after decompression");
      }
      return read;
    }

    @Override
    public boolean isFinished() {
      return ended;
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
      throw new UnsupportedOperationException("bodies are read by threads that wait");
    }

    @Override
    public void close() throws IOException {
      if (source != null) {
        source.close();
      }
    }
  }

  /** The request with its body decoded, and without the headers that describe the coded one. */
  private static final class Decoded extends HttpServletRequestWrapper {
    private final Body body;

    Decoded(HttpServletRequest request, Body body) {
      super(request);
      this.body = body;
    }

    @Override
    public ServletInputStream getInputStream() {
      return body;
    }

    @Override
    public int getContentLength() {
      return -1;
    }

    @Override
    public long getContentLengthLong() {
      return -1;
    }

    @Override
    public @Nullable String getHeader(String name) {
      return isHidden(name) ? null : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
      return isHidden(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
    }

    @Override
    public Enumeration<String> getHeaderNames() {
      return Collections.enumeration(
          Collections.list(super.getHeaderNames()).stream()
              .filter(name -> !isHidden(name))
              .toList());
    }

    private static boolean isHidden(String name) {
      return HIDDEN.contains(name.toLowerCase(Locale.ROOT));
    }
  }
}
