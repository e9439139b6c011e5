package io.memorygateway.proxy.call;

import io.memorygateway.proxy.upstream.UpstreamAnswer;
import io.memorygateway.proxy.upstream.UpstreamCall;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.secret.MaskedOutputStream;
import io.memorygateway.secret.SecretBytes;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;

/**
 * Passes an answer of any type on, piece by piece, and reads only after it has written. An answer
 * that breaks off has the client's connection closed.
 */
final class PassedAnswer implements StreamingOutput {
  private final UpstreamAnswer answer;
  private final SecretBytes secret;
  private final UpstreamCall call;
  private final CallMeasurement measurement;
  private final HttpServletRequest client;

  PassedAnswer(
      UpstreamAnswer answer,
      SecretBytes secret,
      UpstreamCall call,
      CallMeasurement measurement,
      HttpServletRequest client) {
    this.client = client;
    this.answer = answer;
    this.secret = secret;
    this.call = call;
    this.measurement = measurement;
  }

  /** Closes the client's connection: an end in order would say that the answer is whole. */
  private EofException brokenOff() {
    ServletContextRequest.getServletContextRequest(client)
        .getConnectionMetaData()
        .getConnection()
        .getEndPoint()
        .close();
    return new EofException("an answer that is passed on broke off");
  }

  @Override
  public void write(OutputStream to) throws IOException {
    int status = 499;
    MaskedOutputStream out = new MaskedOutputStream(secret, to);
    try {
      to.flush();
      boolean last;
      do {
        Content.Chunk chunk = answer.read();
        last = chunk.isLast();
        try {
          ByteBuffer buffer = chunk.getByteBuffer();
          byte[] piece = new byte[buffer.remaining()];
          buffer.get(piece);
          out.write(piece, 0, piece.length);
        } finally {
          chunk.release();
        }
        out.flush();
      } while (!last);
      out.finish();
      measurement.answerRead();
      status = answer.status();
    } catch (UpstreamFailure failure) {
      status = AttemptFailure.of(failure, false).status();
      throw brokenOff();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      status = 503;
      throw brokenOff();
    } finally {
      answer.cancel();
      call.close();
      measurement.close(status);
    }
  }
}
