package dev.fencing.harness.history;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file of one EDN map a line.
 *
 * <p>Thread-safe. A line is with the operating system when its method returns, so it survives the
 * death of this process by kill -9, but not a power cut, unless {@link #force()} follows. An
 * interrupt does not disturb it. After a line could not be written, by a full disk for example, the
 * file may end in the middle of it, so every later one is refused.
 */
public final class EdnWriter implements AutoCloseable {

  private final Path file;
  private final FileOutputStream out;
  private final ReentrantLock lock = new ReentrantLock();
  private long lines;
  private @Nullable IOException failure;

  private EdnWriter(Path file, FileOutputStream out) {
    this.file = file;
    this.out = out;
  }

  /**
   * Begins a new file: what was killed starts again with a file of its own, because the old one may
   * end in the middle of a line.
   *
   * @throws FileAlreadyExistsException if there is one of that name
   * @throws IOException if it cannot be created
   */
  public static EdnWriter create(Path file) throws IOException {
    Files.createFile(file);
    return open(file);
  }

  /**
   * Writes over a file, or to what is no ordinary one, such as a device.
   *
   * @throws IOException if it cannot be opened
   */
  public static EdnWriter open(Path file) throws IOException {
    return new EdnWriter(file, new FileOutputStream(file.toFile()));
  }

  /**
   * Writes a line.
   *
   * @throws IOException if this line or one before it could not be written
   */
  public void append(Op op) throws IOException {
    append(op.toMap());
  }

  /** Like {@link #append(Op)}. */
  public void append(Fault fault) throws IOException {
    append(fault.toMap());
  }

  /** Like {@link #append(Op)}. */
  public void append(LoggedWrite write) throws IOException {
    append(write.toMap());
  }

  void append(Map<String, @Nullable Object> map) throws IOException {
    byte[] line = (Edn.line(map) + '\n').getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      if (failure != null) {
        throw new IOException(
            file + " could not be written after line " + lines + ", and ends there", failure);
      }
      out.write(line);
      lines++;
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Makes what was written survive a power cut; blocks until the disk has it. */
  public void force() throws IOException {
    FileDescriptor descriptor = out.getFD();
    descriptor.sync();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
