/** The status of a response, whose body is discarded. */
export async function statusOf(posting: Response | Promise<Response>): Promise<number> {
  const { status, body } = await posting;
  await body?.cancel();
  return status;
}
