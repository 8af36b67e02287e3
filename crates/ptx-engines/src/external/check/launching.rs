//! Checks of engines that execute whole modules.

use ptx_exec::kernel_case::{KernelAnswer, KernelArgument, KernelBuffer, KernelLaunch};
use ptx_spec::must::Must as _;

use super::super::message::line;
use super::session::{Session, with_more};
use super::words::{Checked, same, wrong};
use crate::protocol::{LaunchRequest, Request, Response, SentLaunches};

/// The body of the module: each thread adds its number to a word of `of`, and what it is given, and stores the sum in `to`.
const ENTRIES: &str = "
.visible .entry add(.param .u64 of, .param .u64 to, .param .u32 more)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [of];
    ld.param.u64 %rd2, [to];
    ld.param.u32 %r1, [more];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.u32 %r3, [%rd1];
    add.u32 %r3, %r3, %r2;
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%rd2], %r3;
    ret;
}
";

/// A sample case. Each of its launches is the number that it adds, and how many threads it has.
fn sample(launches: &[(u32, u32)]) -> SentLaunches {
    let buffer = |name: &str, data: Vec<u8>| KernelBuffer { name: name.to_owned(), data };
    let address = |name: &str| KernelArgument::Address(name.to_owned());
    let launch = |&(more, threads): &(u32, u32)| KernelLaunch {
        entry: "add".to_owned(),
        grid: [1; 3],
        block: [threads, 1, 1],
        arguments: vec![address("of"), address("to"), KernelArgument::Bytes(more.to_le_bytes().to_vec())],
    };
    SentLaunches {
        buffers: vec![buffer("of", vec![1; 16]), buffer("to", vec![0; 16])],
        launches: launches.iter().map(launch).collect(),
    }
}

fn samples() -> Vec<SentLaunches> {
    vec![sample(&[(0, 1)]), sample(&[(7, 4)]), sample(&[(7, 4), (9, 2)])]
}

fn request(session: &mut Session, cases: &[SentLaunches]) -> LaunchRequest {
    let (ptx, target) = session.environment();
    let module = format!(".version {ptx}\n.target {target}\n.address_size 64\n{ENTRIES}");
    LaunchRequest { id: session.id(), module, cases: cases.to_vec() }
}

/// A request to launch, for engines that cannot.
pub(super) fn some_launches(session: &mut Session) -> (Vec<u8>, u64) {
    let request = request(session, &samples());
    let id = request.id;
    (line(&Request::Launch(request)), id)
}

fn launched(session: &mut Session, send: &[u8], id: u64, cases: &[SentLaunches]) -> Result<Vec<KernelAnswer>, String> {
    let should = "`launched`, with an answer for each case";
    let answers = match session.ask(send, id, should)? {
        Response::Launched(launched) => launched.answers,
        Response::Error(failure) => return Err(wrong(send, &format!("an error: {}", failure.message), should)),
        _ => return Err(wrong(send, "another kind of response", should)),
    };
    if answers.len() != cases.len() {
        return Err(wrong(send, &format!("{} answers", answers.len()), &format!("{} answers", cases.len())));
    }
    for (case, answer) in cases.iter().zip(&answers) {
        if let KernelAnswer::Returned(result) = answer {
            result.check(&case.buffers).map_err(|why| wrong(send, &why, "buffers of the case, with their sizes"))?;
        }
    }
    Ok(answers)
}

fn launch(session: &mut Session, cases: &[SentLaunches]) -> Result<Vec<KernelAnswer>, String> {
    let request = request(session, cases);
    let id = request.id;
    launched(session, &line(&Request::Launch(request)), id, cases)
}

/// An answer without its words.
fn came(answer: &KernelAnswer) -> String {
    match answer {
        KernelAnswer::Returned(result) => serde_json::to_string(result).must("an answer was read from JSON"),
        KernelAnswer::Trapped(_) => "trapped".to_owned(),
        KernelAnswer::Undefined(_) => "undefined".to_owned(),
        KernelAnswer::Skipped(_) => "skipped".to_owned(),
        KernelAnswer::Failed(_) => "failed".to_owned(),
    }
}

fn same_answers(first: &[KernelAnswer], second: &[KernelAnswer], should: &str) -> Checked {
    for (number, (first, second)) in first.iter().zip(second).enumerate() {
        same(&format!("case {number} of the entry `add`"), &[&came(first)], &[&came(second)], should)?;
    }
    Ok(())
}

pub(super) fn launches(session: &mut Session) -> Checked {
    launch(session, &samples()).map(drop)
}

pub(super) fn launches_alone(session: &mut Session) -> Checked {
    let together = launch(session, &samples())?;
    for (case, answer) in samples().into_iter().zip(together) {
        let alone = launch(session, &[case])?;
        same_answers(&[answer], &alone, "the same answer among others and alone")?;
    }
    Ok(())
}

pub(super) fn launches_with_more(session: &mut Session) -> Checked {
    let first = launch(session, &samples())?;
    let request = request(session, &samples());
    let id = request.id;
    let second = launched(session, &with_more(&Request::Launch(request)), id, &samples())?;
    same_answers(&first, &second, "the same answer as without the field `later`")
}
