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
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.BufferUtil;

/**
 * Passes an answer of any type on, piece by piece, and reads only after it has written. An answer
 * that breaks off has the client's connection closed.
 */
record PassedAnswer(
    UpstreamAnswer answer,
    SecretBytes secret,
    UpstreamCall call,
    CallMeasurement measurement,
    HttpServletRequest client)
    implements StreamingOutput {
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
          out.write(BufferUtil.toArray(chunk.getByteBuffer()));
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
