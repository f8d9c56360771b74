/**
 * Reads at most so many bytes of a response, decompressed. Otherwise, a provider that is broken, or someone in its place, could fill the
 * memory before the timeout.
 */
export const boundedFetch =
  (maxBytes: number) =>
  async (url: string, options: object): Promise<Response> => {
    const response = await fetch(url, options);
    let bytes = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new Error('The response is too long.'));
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(bounded), response);
  };
