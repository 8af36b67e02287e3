//! Finding and installing toolchains, with temporary caches and without a network: a shell script replaces Python.
//! Environment variables are set for a child process, which is this test program again.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use ptx_conform::engine::toolchain;
use tempfile::TempDir;

use super::{Tested, same, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("toolchain::the_newest_that_fits_is_found", the_newest_that_fits_is_found),
        trial("toolchain::directories_are_searched_in_order", directories_are_searched_in_order),
        trial("toolchain::versions_are_installed", versions_are_installed),
        trial("toolchain::every_published_version_is_installed", every_published_version_is_installed),
        trial("toolchain::a_list_that_pip_does_not_have_is_an_error", a_list_that_pip_does_not_have_is_an_error),
        trial("toolchain::several_processes_can_install_at_once", several_processes_can_install_at_once),
        trial("toolchain::a_killed_installation_leaves_nothing", a_killed_installation_leaves_nothing),
        trial("toolchain::failures_say_what_to_do", failures_say_what_to_do),
    ]
}

/// The environment variable with the task of a child.
const TASK: &str = "PTX_CONFORM_TEST_TASK";

pub(crate) fn is_child() -> bool {
    std::env::var_os(TASK).is_some()
}

/// Does the task and prints its result.
pub(crate) fn child() {
    let task = std::env::var(TASK).expect("a task");
    let (verb, request) = task.split_once(' ').expect("a verb and a request");
    let result = match verb {
        "find" => toolchain::find(request).map(|found| found.path.display().to_string()),
        "discover" => toolchain::discover(None).map(|path| path.display().to_string()),
        _ => toolchain::install(request).map(|installed| installed.path.display().to_string()),
    };
    println!("{}", result.unwrap_or_else(|error| error.to_string()));
}

/// A cache, and a directory of programs: PATH contains only this directory and those of the system.
struct World {
    directory: TempDir,
}

impl World {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        fs::create_dir(directory.path().join("bin")).expect("a directory");
        Self { directory }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).display().to_string()
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script that may be run");
    }

    fn toolchain(&self, version: &str) {
        self.program(&format!("ptxas/{version}/ptxas"), &ptxas(version));
    }

    /// A program that sees this cache and these programs.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        for other in ["PTXAS", "CUDA_HOME", "CUDA_PATH"] {
            command.env_remove(other);
        }
        command.env("PTX_CONFORM_CACHE", self.directory.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin")));
        command
    }

    fn start(&self, task: &str, variables: &[(&str, &str)]) -> Child {
        let mut command = self.command(std::env::current_exe().expect("this program"));
        command.env(TASK, task).envs(variables.iter().copied()).stdout(Stdio::piped());
        command.spawn().expect("a child")
    }

    /// Runs `ptx-conform toolchain` with these arguments. Returns its exit code, stdout and stderr.
    fn toolchains(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = self.command(env!("CARGO_BIN_EXE_ptx-conform"));
        let output = command.arg("toolchain").args(arguments).output().expect("it starts");
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        (output.status.code(), stdout, stderr)
    }

    fn ask(&self, task: &str, variables: &[(&str, &str)]) -> String {
        finish(self.start(task, variables))
    }
}

fn finish(child: Child) -> String {
    let output = child.wait_with_output().expect("a child's output");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn ptxas(version: &str) -> String {
    format!("echo 'ptxas, V{version}'")
}

fn the_newest_that_fits_is_found() -> Tested {
    let world = World::new();
    for version in ["13.5.9", "13.5.37", "13.10.1", "12.9.86"] {
        world.toolchain(version);
    }
    fs::create_dir_all(world.path("ptxas/.install-x"))?;
    let found = |request: &str| world.ask(&format!("find {request}"), &[]);
    let path = |version: &str| world.path(&format!("ptxas/{version}/ptxas"));
    same("13.5", found("13.5"), path("13.5.37"))?;
    same("13.5.9", found("13.5.9"), path("13.5.9"))?;
    same("13", found("13"), path("13.10.1"))?;
    let none = found("13.1");
    same(
        &none,
        none.contains("`ptxas` 13.1 is not on this machine (there are: 13.10.1, 13.5.37, 13.5.9, 12.9.86"),
        true,
    )?;
    same(&none, none.contains("ptx-conform toolchain install 13.1"), true)?;
    let wrong = found("latest");
    same(&wrong, wrong.contains("`latest` is not a `ptxas` version"), true)
}

fn directories_are_searched_in_order() -> Tested {
    let world = World::new();
    for file in ["bin/ptxas", "home/bin/ptxas", "own"] {
        world.program(file, &ptxas("13.5.1"));
    }
    let home = world.path("home");
    let own = world.path("own");
    let variables = [("CUDA_HOME", home.as_str()), ("PTXAS", own.as_str())];
    same("PTXAS", world.ask("discover -", &variables), own.clone())?;
    same("PATH", world.ask("discover -", &variables[..1]), world.path("bin/ptxas"))?;
    same("one that is not installed", world.ask("find 13.5", &variables), own.clone())?;
    fs::remove_file(world.path("bin/ptxas"))?;
    same("CUDA_HOME", world.ask("discover -", &variables[..1]), world.path("home/bin/ptxas"))?;
    world.toolchain("13.4.1");
    same("an empty PTXAS", world.ask("find 13.4.1", &[("PTXAS", "")]), world.path("ptxas/13.4.1/ptxas"))
}

/// A `python3` that acts like `pip download ... -d DIR NAME==VERSION`, and like a script that unpacks.
fn python(world: &World) {
    let log = world.path("log");
    let script = format!(
        r#"
echo "$@" >> {log}
if [ "$1" = -c ]; then cp "$3" "$4"; chmod 755 "$4"; exit; fi
for last; do before=$directory; directory=$previous; previous=$last; done
case $last in
*==13.5.*) name=nvidia_cuda_nvcc-13.5.37;;
*==12.9.86) name=nvidia_cuda_nvcc_cu12-12.9.86;;
*==11.8.*) name=nvidia_cuda_nvcc_cu11-11.8.1;;
*) echo "ERROR: Could not find a version (from versions: 12.0.76, 12.9.86)" >&2; exit 1;;
esac
version=${{name##*-}}
[ $version = 11.8.1 ] && version=11.8.89
sleep 0.2
printf '#!/bin/sh\necho "ptxas, V%s"\n' $version > "$directory/$name-py3-none-linux.whl"
"#
    );
    world.program("bin/python3", &script);
}

fn versions_are_installed() -> Tested {
    let world = World::new();
    python(&world);
    same("13.5", world.ask("install 13.5", &[]), world.path("ptxas/13.5.37/ptxas"))?;
    same("12.9.86", world.ask("install 12.9.86", &[]), world.path("ptxas/12.9.86/ptxas"))?;
    let log = fs::read_to_string(world.path("log"))?;
    same("requirement", log.contains("nvidia-cuda-nvcc==13.5.*\n"), true)?;
    same("requirement", log.contains("nvidia-cuda-nvcc-cu12==12.9.86\n"), true)?;
    same("again", world.ask("install 13.5.37", &[]), world.path("ptxas/13.5.37/ptxas"))?;
    same("no download", fs::read_to_string(world.path("log"))?, log)?;
    let odd = world.ask("install 11.8", &[]);
    same(&odd, odd.contains("the package says 11.8.1, the binary 11.8.89"), true)?;
    let left: Vec<_> = fs::read_dir(world.path("ptxas"))?.flatten().map(|entry| entry.file_name()).collect();
    same("temporary directories are gone", left.len(), 2)
}

/// A `python3` with packages as they are published: previews and placeholders among their versions, a disassembler for some
/// only, and one version, 12.9.41, that cannot be downloaded.
fn python_of_all(world: &World) {
    let log = world.path("log");
    let script = format!(
        r#"
echo "$@" >> {log}
if [ "$1" = -c ]; then cp "$3" "$4"; chmod 755 "$4"; exit; fi
for last; do before=$directory; directory=$previous; previous=$last; done
none() {{ echo "ERROR: Could not find a version (from versions: $1)" >&2; exit 1; }}
name=$(echo "${{last%%==*}}" | tr - _)
version=${{last##*==}}
case $last in
nvidia-cuda-nvcc-cu11==0) none "0.0.1.dev5, 11.7.99, 11.8.89";;
nvidia-cuda-nvcc-cu12==0) none "0.0.1.dev5, 12.9.41, 12.9.86, 12.10.3, 11.8.90";;
nvidia-cuda-nvcc==0) none "0.0.0a0, 13.4.46rc1, 13.4.92, 13.5.37";;
nvidia-cuda-nvdisasm==13.4.92|nvidia-cuda-nvdisasm==13.5.37) ;;
nvidia-cuda-nvdisasm==*) none "13.4.46rc1, 13.4.92, 13.5.37";;
*==12.9.41) echo "ERROR: the disk is full" >&2; exit 1;;
*==13.\*) version=13.5.37;;
*==12.\*) version=12.10.3;;
esac
printf '#!/bin/sh\necho "ptxas, V%s"\n' $version > "$directory/$name-$version-py3-none-linux.whl"
"#
    );
    world.program("bin/python3", &script);
}

fn every_published_version_is_installed() -> Tested {
    let world = World::new();
    python_of_all(&world);
    let versions = ["13.5.37", "13.4.92", "12.10.3", "12.9.86", "11.8.89", "11.7.99"];
    let (code, stdout, stderr) = world.toolchains(&["install", "all"]);
    same("exit code", code, Some(2))?;
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let path = |version: &str, program: &str| world.path(&format!("ptxas/{version}/{program}"));
    same("stdout", lines(&stdout), versions.map(|version| format!("{version}  {}", path(version, "ptxas"))).to_vec())?;
    let said = [
        "1 of 7: 13.5.37",
        "2 of 7: 13.4.92",
        "3 of 7: 12.10.3",
        "4 of 7: 12.9.86",
        "5 of 7: 12.9.41",
        "error: 12.9.41: pip cannot download `nvidia-cuda-nvcc-cu12==12.9.41`: ERROR: the disk is full",
        "6 of 7: 11.8.89",
        "7 of 7: 11.7.99",
    ];
    same("stderr", lines(&stderr), said.map(str::to_owned).to_vec())?;
    // Those without a disassembler of their own share the newest: one download, and one file.
    let file = |version: &str| fs::metadata(path(version, "nvdisasm")).map(|file| file.ino());
    let shared: BTreeSet<u64> =
        ["13.5.37", "12.10.3", "12.9.86", "11.8.89", "11.7.99"].into_iter().flat_map(file).collect();
    same("the newest disassembler", shared.len(), 1)?;
    same("a disassembler of its own", shared.contains(&file("13.4.92")?), false)?;
    let log = fs::read_to_string(world.path("log"))?;
    same("downloads of the newest", log.matches("nvdisasm==13.5.37\n").count(), 1)?;
    let (_, listed, _) = world.toolchains(&["list"]);
    let listed: Vec<&str> = listed.lines().skip(1).filter(|line| line.contains(" installed ")).collect();
    let listed: Vec<&str> = listed.iter().filter_map(|line| line.split_whitespace().next()).collect();
    same("list", listed, versions.to_vec())?;
    for (request, version) in [("13", "13.5.37"), ("12", "12.10.3")] {
        same(request, world.ask(&format!("install {request}"), &[]), path(version, "ptxas"))?;
    }
    // An empty disassembler is replaced, and so is the file that others are links to.
    fs::write(path("12.9.86", "nvdisasm"), "")?;
    same("exit code", world.toolchains(&["install", "12.9.86"]).0, Some(0))?;
    same("empty", fs::metadata(path("12.9.86", "nvdisasm"))?.len() == 0, false)
}

/// The next installation removes the folder of one that was killed, but not that of one that still runs.
fn a_killed_installation_leaves_nothing() -> Tested {
    let world = World::new();
    let started = world.path("started");
    world.program("bin/python3", &format!("echo >> {started}; exec sleep 600"));
    let mut killed = [0; 2].map(|_| world.start("install 13.5", &[]));
    let deadline = Instant::now() + Duration::from_secs(30);
    while !fs::read_to_string(&started).is_ok_and(|lines| lines.len() == 2) {
        same("both began", Instant::now() < deadline, true)?;
        std::thread::sleep(Duration::from_millis(10));
    }
    let folders = || -> Result<usize, std::io::Error> {
        let names = fs::read_dir(world.path("ptxas"))?.flatten().map(|entry| entry.file_name());
        Ok(names.filter(|name| name.to_string_lossy().starts_with(".install-")).count())
    };
    python(&world);
    for (child, left) in killed.iter_mut().zip([1, 0]) {
        child.kill()?;
        child.wait()?;
        same("13.5", world.ask("install 13.5", &[]), world.path("ptxas/13.5.37/ptxas"))?;
        same("folders", folders()?, left)?;
    }
    Ok(())
}

fn a_list_that_pip_does_not_have_is_an_error() -> Tested {
    for (script, words) in [
        (
            "echo 'WARNING: Retrying' >&2; echo 'ERROR: none (from versions: none)' >&2; exit 1",
            "cannot reach its package index",
        ),
        ("echo 'python3: No module named pip' >&2; exit 1", "has no pip"),
        ("exit 3", "pip cannot download `nvidia-cuda-nvcc-cu11==0`: it said nothing"),
    ] {
        let world = World::new();
        world.program("bin/python3", script);
        let (code, stdout, stderr) = world.toolchains(&["install", "all", "13.5"]);
        same("exit code and stdout", (code, stdout.as_str()), (Some(2), ""))?;
        same(&stderr, stderr.starts_with("error: ") && stderr.contains(words) && stderr.lines().count() == 1, true)?;
    }
    Ok(())
}

fn several_processes_can_install_at_once() -> Tested {
    let world = World::new();
    python(&world);
    let children = [0; 4].map(|_| world.start("install 13.5.37", &[]));
    for child in children {
        same("path", finish(child), world.path("ptxas/13.5.37/ptxas"))?;
    }
    Ok(())
}

fn failures_say_what_to_do() -> Tested {
    let world = World::new();
    python(&world);
    for (request, words) in [
        ("12.7.1", "has no version 12.7.1; there are: 12.0.76, 12.9.86"),
        ("10.2", "the oldest package is 11.7"),
        ("13.5.*", "is not a `ptxas` version"),
        ("../..", "is not a `ptxas` version"),
    ] {
        let said = world.ask(&format!("install {request}"), &[]);
        same(&said, said.contains(words), true)?;
    }
    world.program("bin/python3", "echo 'python3: No module named pip' >&2; exit 1");
    let said = world.ask("install 13.5", &[]);
    same(&said, said.contains("has no pip"), true)?;
    fs::remove_file(world.path("bin/python3"))?;
    let said = world.ask("install 13.5", &[("PATH", "/nowhere")]);
    same(&said, said.contains("`python3` cannot be started"), true)?;
    let nowhere = world.ask("install 13.5", &[("PTX_CONFORM_CACHE", "/proc/nowhere")]);
    same(&nowhere, nowhere.contains("/proc/nowhere/ptxas"), true)?;
    same("nothing is left", Path::new(&world.path("ptxas")).read_dir()?.count(), 0)
}
