/** An image without its registry, which is long and the same for all. */
export const nameOfImage = (image: string): string => image.slice(image.lastIndexOf('/') + 1);
